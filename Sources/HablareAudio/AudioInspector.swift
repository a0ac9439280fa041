/// Finds out what is in a piece of audio by decoding all of it.
///
/// Takes constant memory, and time proportional to the length. Blocks: keep it off the main actor.
public struct AudioInspector: Sendable {
    /// Makes an inspector; it has no state.
    public init() {}

    /// The sample rate, the channels and the frames that can in fact be decoded.
    ///
    /// - Parameter source: the audio; zero frames are an answer, not an error.
    /// - Throws: ``AudioError`` with code `unreadable`, `notAudio` or `damaged`.
    public func properties(of source: AudioSource) throws(AudioError) -> AudioProperties {
        let decoder = try AudioDecoder(source)
        var samples: [Int16] = []
        var total: Int64 = 0
        while true {
            let frames = try decoder.nextBlock(into: &samples)
            if frames == 0 { break }
            total += Int64(frames)
        }
        return AudioProperties(
            sampleRate: decoder.sampleRate, channelCount: decoder.channelCount, frameCount: total)
    }
}
