public import Foundation

/// Joins audio, one source after another, into one file.
///
/// ```swift
/// let joiner = try AudioJoiner(output: URL(filePath: "book.mp3"))
/// for answer in answers { try joiner.append(.data(answer)) }
/// let joined = try joiner.finish()
/// ```
///
/// - **All or nothing.** The file grows under a temporary name in the same folder (`.book.mp3.partial`), is synced to
///   the disk, and takes its name in ``finish()``; then the folder is synced. Until then a file that has this name
///   stays as it is. After an error, ``cancel()``, or when the joiner is released, the temporary file is gone; one that
///   a killed process left behind is taken over by the next joiner for the same output. A symbolic link with the
///   output's name is replaced, not followed. A file that is replaced keeps its permissions, which hold for the
///   temporary file, too.
/// - **One at a time.** A second joiner for the same output, in any process, is refused with code `busy`.
/// - **Nothing is converted** but the width of the samples, to 16 bits: all sources must have the sample rate and the
///   channels of the first.
/// - **The same sources give the same bytes,** with the same version of libsndfile.
/// - **A WAV file is refused, not broken, at 4 GiB** (code `tooLarge`). RF64 was decided against: not every player reads
///   it, and FLAC holds the same samples without that limit.
///
/// An error closes the joiner. Memory does not depend on the length. Calls block on the disk and the processor: keep
/// them off the main actor. They do not look at task cancellation: look yourself between two sources and call
/// ``cancel()``. A joiner belongs to one task at a time.
public final class AudioJoiner {
    /// Where the finished file will be.
    public let output: URL
    /// The kind of file that is written.
    public let container: AudioContainer

    private let file: PartialFile
    private let maximumSampleBytes: Int64
    private var writer: SndfileWriter?
    private var parts: [JoinedAudio.Part] = []
    private var frameCount: Int64 = 0
    private var isClosed = false
    private var samples: [Int16] = []

    /// Makes the temporary file.
    ///
    /// - Parameters:
    ///   - output: a file URL; its folder must exist, the file may.
    ///   - container: the kind of file; by default the one that the extension of `output` stands for.
    /// - Throws: ``AudioError`` with code `unsupportedContainer`, `folderMissing`, `notWritable`, `busy`, `diskFull` or
    ///   `writeFailed`.
    public convenience init(output: URL, container: AudioContainer? = nil) throws(AudioError) {
        try self.init(output: output, container: container, calls: .system, maximumSampleBytes: nil)
    }

    init(
        output: URL, container: AudioContainer?, calls: FileCalls, maximumSampleBytes: Int64?
    ) throws(AudioError) {
        if let container {
            self.container = container
        } else {
            self.container = try AudioContainer(fileExtension: output.pathExtension)
        }
        self.output = output
        self.maximumSampleBytes = maximumSampleBytes ?? self.container.maximumSampleBytes
        self.file = try PartialFile(for: output, calls: calls)
    }

    /// Decodes a source and writes it after what is there.
    ///
    /// - Returns: where the source is in the joined file.
    /// - Throws: ``AudioError``; the joiner is closed and the temporary file gone. With the index of the source:
    ///   `unreadable`, `notAudio`, `noFrames`, `damaged`, `sampleRateMismatch`, `channelCountMismatch`,
    ///   `unsupportedLayout`. About the output: `diskFull`, `tooLarge`, `writeFailed`; `closed` after an earlier end.
    @discardableResult
    public func append(_ source: AudioSource) throws(AudioError) -> JoinedAudio.Part {
        guard let part = try append(source, while: { true }) else { throw .joinerIsClosed }
        return part
    }

    /// Does what ``append(_:)`` does, and looks before every block whether to go on.
    ///
    /// - Parameter goesOn: Asked before each ``AudioDecoder/blockFrames`` frames; `false` cancels the joiner.
    /// - Returns: `nil` when it was cancelled.
    @discardableResult
    package func append(
        _ source: AudioSource, while goesOn: () -> Bool
    ) throws(AudioError) -> JoinedAudio.Part? {
        guard !isClosed else { throw .joinerIsClosed }
        do {
            let start = frameCount
            guard let count = try copy(source, index: parts.count, while: goesOn) else {
                cancel()
                return nil
            }
            let part = JoinedAudio.Part(index: parts.count, startFrame: start, frameCount: count)
            parts.append(part)
            return part
        } catch {
            cancel()
            throw error
        }
    }

    /// Completes the file, syncs it, and gives it its name.
    ///
    /// - Returns: the file and where each source is in it.
    /// - Throws: ``AudioError`` with code `nothingToJoin` if there was no source; `diskFull`, `tooLarge`,
    ///   `notWritable` or `writeFailed`; `closed` after an earlier end. The temporary file is gone. Only if the folder
    ///   could not be synced, the message says so, and the complete file already has its name.
    public func finish() throws(AudioError) -> JoinedAudio {
        guard !isClosed else { throw .joinerIsClosed }
        defer { cancel() }
        guard let writer else {
            throw AudioError(code: .nothingToJoin, message: "There is no audio to join; append at least one source.")
        }
        guard writer.close() else { throw file.failure ?? .encodingFailed }
        try file.commit()
        let properties = AudioProperties(
            sampleRate: writer.sampleRate, channelCount: writer.channelCount, frameCount: frameCount)
        return JoinedAudio(url: output, properties: properties, parts: parts)
    }

    /// Removes the temporary file and closes the joiner. Does nothing after an end of any kind.
    public func cancel() {
        guard !isClosed else { return }
        isClosed = true
        file.discard()
        writer = nil
    }

    private func copy(
        _ source: AudioSource, index: Int, while goesOn: () -> Bool
    ) throws(AudioError) -> Int64? {
        let decoder: AudioDecoder
        let writer: SndfileWriter
        do {
            decoder = try AudioDecoder(source)
            writer = try self.writer(for: decoder)
        } catch {
            throw file.failure ?? error.ofSource(index)
        }
        let start = frameCount
        while true {
            guard goesOn() else { return nil }
            let frames: Int
            do { frames = try decoder.nextBlock(into: &samples) } catch { throw error.ofSource(index) }
            if frames == 0 { break }
            try write(frames, with: writer)
        }
        guard frameCount > start else { throw AudioError.noFrames.ofSource(index) }
        return frameCount - start
    }

    private func write(_ frames: Int, with writer: SndfileWriter) throws(AudioError) {
        let bytesPerFrame = Int64(writer.channelCount * MemoryLayout<Int16>.size)
        guard (frameCount + Int64(frames)) * bytesPerFrame <= maximumSampleBytes else { throw .wavIsFull }
        let written = writer.write(samples)
        if let failure = file.failure { throw failure }
        guard written == frames else { throw .encodingFailed }
        frameCount += Int64(frames)
    }

    private func writer(for decoder: AudioDecoder) throws(AudioError) -> SndfileWriter {
        guard let writer else {
            guard
                container.allows(sampleRate: decoder.sampleRate, channelCount: decoder.channelCount),
                let first = SndfileWriter(
                    file, container: container, sampleRate: decoder.sampleRate, channelCount: decoder.channelCount)
            else { throw .unsupportedLayout(container, decoder) }
            writer = first
            return first
        }
        guard decoder.sampleRate == writer.sampleRate else {
            throw .mismatch(.sampleRateMismatch, "a sample rate of", "Hz", writer.sampleRate, decoder.sampleRate)
        }
        guard decoder.channelCount == writer.channelCount else {
            throw .mismatch(
                .channelCountMismatch, "a channel count of", "", writer.channelCount, decoder.channelCount)
        }
        return writer
    }
}
