// The only file that uses the C API of libsndfile. It relies on these facts:
//
// - Handles are used by one task at a time: the classes here are not Sendable, and neither are their owners.
// - libsndfile calls back only while one of its functions runs, on the same thread, and never after `sf_close`. So the
//   bytes are passed to it unretained. Each class holds them, and closes its handle in `deinit` at the latest.
// - A callback never throws and never lets a pointer escape. Lengths come from libsndfile and are never negative.
// - `sf_open_virtual` copies the table of callbacks. `sf_error` and `sf_strerror` without a handle read a variable
//   shared by all threads, so they are not called, and the reason why an open failed stays unknown.
import CSndfile

/// A decoder that returns 16-bit samples. It reads every format that libsndfile supports.
final class SndfileReader {
    let sampleRate: Int
    let channelCount: Int
    private let handle: OpaquePointer
    private let stream: Stream
    /// Whether samples are decoded as floating-point numbers. Such samples may be outside -1...1, so they must be
    /// limited.
    private let isFloatingPoint: Bool
    private var scratch: [Float] = []

    /// Opens audio for reading. Returns `nil` if the bytes are not audio of a known kind.
    init?(_ bytes: any SeekableBytes) {
        let stream = Stream(bytes)
        var info = SF_INFO()
        guard let handle = stream.open(SFM_READ, &info) else { return nil }
        guard info.channels > 0, info.samplerate > 0 else {
            sf_close(handle)
            return nil
        }
        self.stream = stream
        self.handle = handle
        self.sampleRate = Int(info.samplerate)
        self.channelCount = Int(info.channels)
        self.isFloatingPoint = Self.isFloatingPoint(info)
    }

    deinit {
        sf_close(handle)
    }

    /// Whether an error occurred in the last read.
    var isDamaged: Bool {
        sf_error(handle) != 0
    }

    /// Replaces the samples with the next frames, and returns the number of frames.
    func read(_ frames: Int, into samples: inout [Int16]) -> Int {
        let room = frames * channelCount
        if samples.count != room {
            samples = Array(repeating: 0, count: room)
        }
        let count = isFloatingPoint ? readFloats(frames, into: &samples) : readIntegers(frames, into: &samples)
        samples.removeLast(room - count * channelCount)
        return count
    }

    private func readIntegers(_ frames: Int, into samples: inout [Int16]) -> Int {
        samples.withUnsafeMutableBufferPointer { buffer in
            max(0, Int(sf_readf_short(handle, buffer.baseAddress, sf_count_t(frames))))
        }
    }

    private func readFloats(_ frames: Int, into samples: inout [Int16]) -> Int {
        if scratch.count != samples.count {
            scratch = Array(repeating: 0, count: samples.count)
        }
        let count = scratch.withUnsafeMutableBufferPointer { buffer in
            max(0, Int(sf_readf_float(handle, buffer.baseAddress, sf_count_t(frames))))
        }
        for index in 0..<(count * channelCount) {
            let value = scratch[index] * 32_768
            samples[index] = value.isNaN ? 0 : Int16(min(max(value.rounded(), -32_768), 32_767))
        }
        return count
    }

    private static func isFloatingPoint(_ info: SF_INFO) -> Bool {
        switch Int(info.format) & Int(SF_FORMAT_SUBMASK) {
        case Int(SF_FORMAT_FLOAT), Int(SF_FORMAT_DOUBLE), Int(SF_FORMAT_VORBIS), Int(SF_FORMAT_OPUS),
            Int(SF_FORMAT_MPEG_LAYER_I), Int(SF_FORMAT_MPEG_LAYER_II), Int(SF_FORMAT_MPEG_LAYER_III):
            true
        default: false
        }
    }
}

/// An encoder of 16-bit samples.
final class SndfileWriter {
    let sampleRate: Int
    let channelCount: Int
    private var handle: OpaquePointer?
    private let stream: Stream

    /// Begins a file. Returns `nil` if the container does not support this sample rate or this number of channels, or
    /// if the bytes could not be written.
    init?(_ bytes: any SeekableBytes, container: AudioContainer, sampleRate: Int, channelCount: Int) {
        let stream = Stream(bytes)
        var info = SF_INFO()
        guard let rate = CInt(exactly: sampleRate), let channels = CInt(exactly: channelCount) else { return nil }
        info.samplerate = rate
        info.channels = channels
        info.format = Self.format(of: container)
        guard let handle = stream.open(SFM_WRITE, &info) else { return nil }
        self.stream = stream
        self.handle = handle
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    deinit {
        close()
    }

    /// Writes whole frames. Returns the number of written frames.
    func write(_ samples: [Int16]) -> Int {
        guard let handle else { return 0 }
        return samples.withUnsafeBufferPointer { buffer in
            Int(sf_writef_short(handle, buffer.baseAddress, sf_count_t(buffer.count / channelCount)))
        }
    }

    /// Writes the buffered samples and completes the header. Returns whether libsndfile reported success.
    @discardableResult
    func close() -> Bool {
        guard let handle else { return false }
        self.handle = nil
        return sf_close(handle) == 0
    }

    private static func format(of container: AudioContainer) -> CInt {
        switch container {
        case .wav: CInt(SF_FORMAT_WAV) | CInt(SF_FORMAT_PCM_16)
        case .flac: CInt(SF_FORMAT_FLAC) | CInt(SF_FORMAT_PCM_16)
        case .mp3: CInt(SF_FORMAT_MPEG) | CInt(SF_FORMAT_MPEG_LAYER_III)
        }
    }
}

/// An object through which libsndfile accesses the bytes. libsndfile holds an untyped pointer to it.
private final class Stream {
    let bytes: any SeekableBytes

    init(_ bytes: any SeekableBytes) {
        self.bytes = bytes
    }

    /// Opens a handle that reads or writes these bytes. The caller must keep the stream until the handle is closed.
    func open(_ mode: Int, _ info: inout SF_INFO) -> OpaquePointer? {
        var callbacks = SF_VIRTUAL_IO(
            get_filelen: { Stream.from($0)?.bytes.length ?? 0 },
            seek: { offset, origin, context in Stream.from(context)?.seek(offset, origin) ?? -1 },
            read: { target, count, context in
                let buffer = UnsafeMutableRawBufferPointer(start: target, count: Int(count))
                return sf_count_t(Stream.from(context)?.bytes.read(into: buffer) ?? 0)
            },
            write: { source, count, context in
                let buffer = UnsafeRawBufferPointer(start: source, count: Int(count))
                return sf_count_t(Stream.from(context)?.bytes.write(buffer) ?? 0)
            },
            tell: { Stream.from($0)?.bytes.position ?? -1 })
        return sf_open_virtual(&callbacks, CInt(mode), &info, Unmanaged.passUnretained(self).toOpaque())
    }

    private func seek(_ offset: sf_count_t, _ origin: CInt) -> sf_count_t {
        let start: Int64
        switch origin {
        case CInt(SF_SEEK_SET): start = 0
        case CInt(SF_SEEK_CUR): start = bytes.position
        case CInt(SF_SEEK_END): start = bytes.length
        default: return -1
        }
        let (position, overflow) = start.addingReportingOverflow(offset)
        guard !overflow, position >= 0 else { return -1 }
        bytes.position = position
        return position
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> Stream? {
        context.map { Unmanaged<Stream>.fromOpaque($0).takeUnretainedValue() }
    }
}
