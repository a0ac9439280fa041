/// An inspector that determines the properties of audio. It decodes the whole audio.
///
/// The inspector needs constant memory. The time is proportional to the length of the audio. The method blocks the
/// thread, so call it off the main actor.
public struct AudioInspector: Sendable {
    /// Creates an inspector. An inspector has no state.
    public init() {}

    /// Returns the sample rate, the number of channels, and the number of frames that can be decoded.
    ///
    /// - Parameter source: The audio. Zero frames are a result, not an error.
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
