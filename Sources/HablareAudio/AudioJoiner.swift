public import Foundation

/// A joiner that writes audio sources, one after another, into one file.
///
/// ```swift
/// let joiner = try AudioJoiner(output: URL(filePath: "book.mp3"))
/// for answer in answers { try joiner.append(.data(answer)) }
/// let joined = try joiner.finish()
/// ```
///
/// - **All or nothing.** The joiner writes a temporary file in the same folder (`.book.mp3.partial`). ``finish()``
///   syncs this file to the disk, renames it, and syncs the folder. Until then, an existing file with the output's name
///   stays unchanged. The temporary file is removed after an error, after ``cancel()``, or when the joiner is released.
///   If a killed process leaves a temporary file, the next joiner for the same output reuses it.
/// - **Permissions and links.** If a file with the output's name exists, the new file and the temporary file get its
///   permissions. If a symbolic link has the output's name, the link is replaced, not followed.
/// - **One joiner for each output.** A second joiner for the same output, in any process, is refused with code `busy`.
/// - **No conversion.** Only the sample width is converted, to 16 bits. All sources must have the sample rate and the
///   number of channels of the first source.
/// - **Reproducible.** The same sources give the same bytes with the same version of libsndfile.
/// - **No WAV file of 4 GiB or more.** The joiner refuses such a file with code `tooLarge`. It does not use RF64,
///   because some players cannot read it. FLAC stores the same samples without this limit.
///
/// An error closes the joiner. The memory use of a joiner does not depend on the length of the audio. The methods block
/// on the disk and the processor, so call them off the main actor. They ignore task cancellation: check for
/// cancellation between two sources and call ``cancel()``. Use a joiner in one task at a time.
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
    ///   - output: A file URL. The folder must exist. The file may exist.
    ///   - container: The kind of file. Default: the kind for the extension of `output`.
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
    /// - Throws: ``AudioError``. The joiner is then closed and the temporary file is removed.
    ///   - Errors with the index of the source: `unreadable`, `notAudio`, `noFrames`, `damaged`, `sampleRateMismatch`,
    ///     `channelCountMismatch`, `unsupportedLayout`.
    ///   - Errors about the output: `diskFull`, `tooLarge`, `writeFailed`.
    ///   - `closed` if the joiner was already finished or cancelled.
    @discardableResult
    public func append(_ source: AudioSource) throws(AudioError) -> JoinedAudio.Part {
        guard let part = try append(source, while: { true }) else { throw .joinerIsClosed }
        return part
    }

    /// Decodes a source and appends it to the file, like ``append(_:)``. Calls a closure before each block to decide
    /// whether to continue.
    ///
    /// - Parameter shouldContinue: A closure that is called before each ``AudioDecoder/blockFrames`` frames. If it
    ///   returns `false`, the joiner is cancelled.
    /// - Returns: The position of the source; `nil` if the joiner was cancelled.
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

    /// Completes the temporary file, syncs it, and renames it to the output.
    ///
    /// - Returns: The file, and the position of each source in it.
    /// - Throws: ``AudioError``. The temporary file is then removed.
    ///   - `nothingToJoin` if there was no source.
    ///   - `diskFull`, `tooLarge`, `notWritable` or `writeFailed`. If only the sync of the folder failed, the message
    ///     says so, and the complete file already has its name.
    ///   - `closed` if the joiner was already finished or cancelled.
    public func finish() throws(AudioError) -> JoinedAudio {
        guard !isClosed else { throw .joinerIsClosed }
        defer { cancel() }
        guard let writer else {
            throw AudioError(code: .nothingToJoin, message: "There is no audio to join. Append at least one source.")
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
