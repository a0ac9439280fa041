/// The properties of audio, as found by decoding the audio. They may differ from the header.
public struct AudioProperties: Sendable, Hashable {
    /// The sample rate in frames per second, above 0.
    public let sampleRate: Int
    /// The number of channels, at least 1.
    public let channelCount: Int
    /// The number of decoded frames. One frame has one sample for each channel.
    public let frameCount: Int64

    /// Creates properties from known values.
    public init(sampleRate: Int, channelCount: Int, frameCount: Int64) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.frameCount = frameCount
    }

    /// The duration in seconds; 0 if the sample rate is unknown.
    public var seconds: Double {
        sampleRate > 0 ? Double(frameCount) / Double(sampleRate) : 0
    }
}
