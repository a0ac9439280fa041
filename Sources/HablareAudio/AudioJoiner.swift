public import Foundation

/// A joiner that writes audio sources, one after another, into one file.
///
/// ```swift
/// let joiner = try AudioJoiner(output: URL(filePath: "book.mp3"))
/// for answer in answers { try joiner.append(.data(answer)) }
/// let joined = try joiner.finish()
/// ```
///
/// - **All or nothing.** The file grows under a temporary name in the same folder (`.book.mp3.partial`). ``finish()``
///   syncs it to the disk, renames it, and syncs the folder. Until then an existing file with the output's name stays
///   unchanged. The temporary file is removed after an error, after ``cancel()``, or when the joiner is released. If a
///   killed process leaves one behind, the next joiner for the same output takes it over. A symbolic link with the
///   output's name is replaced, not followed. A replaced file's permissions are kept, and apply to the temporary file
///   too.
/// - **One at a time.** A second joiner for the same output, in any process, is refused with code `busy`.
/// - **No conversion** except of the sample width, to 16 bits. All sources must have the sample rate and the number of
///   channels of the first.
/// - **The same sources give the same bytes** with the same version of libsndfile.
/// - **A WAV file beyond 4 GiB is refused** with code `tooLarge`, not written broken. RF64 is not used, because not
///   every player reads it and FLAC holds the same samples without that limit.
///
/// An error closes the joiner. Its memory use does not depend on the length. The methods block on the disk and the
/// processor, so keep them off the main actor. They ignore task cancellation: check for it between two sources and call
/// ``cancel()``. A joiner belongs to one task at a time.
public final class AudioJoiner {
    /// The URL of the finished file.
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

    /// Creates a joiner and its temporary file.
    ///
    /// - Parameters:
    ///   - output: A file URL. Its folder must exist. The file may exist.
    ///   - container: The kind of file. Default: the one for the extension of `output`.
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

    /// Decodes a source and appends it to the file.
    ///
    /// - Returns: The position of the source in the joined file.
    /// - Throws: ``AudioError``. The joiner is then closed and the temporary file removed. Errors with the index of the
    ///   source: `unreadable`, `notAudio`, `noFrames`, `damaged`, `sampleRateMismatch`, `channelCountMismatch`,
    ///   `unsupportedLayout`. Errors about the output: `diskFull`, `tooLarge`, `writeFailed`. The code is `closed` if
    ///   the joiner was finished or cancelled before.
    @discardableResult
    public func append(_ source: AudioSource) throws(AudioError) -> JoinedAudio.Part {
        guard let part = try append(source, while: { true }) else { throw .joinerIsClosed }
        return part
    }

    /// Decodes a source and appends it to the file, as ``append(_:)`` does, but asks before each block whether to
    /// continue.
    ///
    /// - Parameter shouldContinue: Called before each ``AudioDecoder/blockFrames`` frames. `false` cancels the joiner.
    /// - Returns: The position of the source, or `nil` when the joiner was cancelled.
    @discardableResult
    package func append(
        _ source: AudioSource, while shouldContinue: () -> Bool
    ) throws(AudioError) -> JoinedAudio.Part? {
        guard !isClosed else { throw .joinerIsClosed }
        do {
            let start = frameCount
            guard let count = try copy(source, index: parts.count, while: shouldContinue) else {
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

    /// Completes the file, syncs it, and renames it to the output.
    ///
    /// - Returns: The file, and the position of each source in it.
    /// - Throws: ``AudioError`` with code `nothingToJoin` if there was no source, or with code `diskFull`, `tooLarge`,
    ///   `notWritable` or `writeFailed`. The code is `closed` if the joiner was finished or cancelled before. The
    ///   temporary file is removed. If only the folder could not be synced, the message reports that, and the complete
    ///   file already has its name.
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

    /// Removes the temporary file and closes the joiner. Does nothing if the joiner is already closed.
    public func cancel() {
        guard !isClosed else { return }
        isClosed = true
        file.discard()
        writer = nil
    }

    private func copy(
        _ source: AudioSource, index: Int, while shouldContinue: () -> Bool
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
            guard shouldContinue() else { return nil }
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
