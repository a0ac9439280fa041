/// A decoder that decodes audio piece by piece, with constant memory.
///
/// ```swift
/// let decoder = try AudioDecoder(.file(url))
/// var samples: [Int16] = []
/// while try decoder.nextBlock(into: &samples) > 0 { use(samples) }
/// ```
///
/// The methods block on the disk and the processor. Call them off the main actor. Use a decoder in one task at a time.
public final class AudioDecoder {
    /// The maximum number of frames in a block: 4,096.
    public static let blockFrames = 4_096

    /// The sample rate in frames per second, above 0.
    public let sampleRate: Int
    /// The number of channels, at least 1.
    public let channelCount: Int

    private let bytes: any SeekableBytes
    private let reader: SndfileReader

    /// Opens audio and reads its header.
    ///
    /// - Parameter source: The audio. A file stays open while the decoder exists.
    /// - Throws: ``AudioError`` with code `unreadable` if the file cannot be opened. Code `notAudio` if its format is
    ///   unknown.
    public init(_ source: AudioSource) throws(AudioError) {
        let bytes = try source.open()
        guard let reader = SndfileReader(bytes) else {
            throw bytes.failure
                ?? AudioError(
                    code: .notAudio,
                    message: """
                        These bytes are not audio of a known format. Use WAV, FLAC, MP3, Ogg or AIFF, and check \
                        whether the bytes are an error message.
                        """)
        }
        self.bytes = bytes
        self.reader = reader
        self.sampleRate = reader.sampleRate
        self.channelCount = reader.channelCount
    }

    /// Decodes the next frames into interleaved 16-bit samples. Samples with more bits are reduced to 16 bits.
    /// Floating-point samples are limited to the range of 16-bit samples.
    ///
    /// - Parameter samples: The array whose content is replaced by `channelCount` samples for each frame. Its memory is
    ///   reused.
    /// - Returns: The number of frames, at most ``blockFrames``. 0 at the end of the audio.
    /// - Throws: ``AudioError`` with code `damaged` if the audio in this block is damaged. Code `unreadable` if the
    ///   file can no longer be read.
    public func nextBlock(into samples: inout [Int16]) throws(AudioError) -> Int {
        let frames = reader.read(Self.blockFrames, into: &samples)
        if let failure = bytes.failure { throw failure }
        // Some decoders replace broken audio with silence and continue. Only the block with the damage shows the error.
        if reader.isDamaged {
            throw AudioError(code: .damaged, message: "The audio is damaged or incomplete. Produce it again.")
        }
        return frames
    }
}
