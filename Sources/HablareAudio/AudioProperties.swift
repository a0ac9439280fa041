/// What is in a piece of audio, as decoded: what its header says is not believed.
public struct AudioProperties: Sendable, Hashable {
    /// Frames in a second, above 0.
    public let sampleRate: Int
    /// The number of channels, at least 1.
    public let channelCount: Int
    /// The frames that could be decoded; one frame has a sample for each channel.
    public let frameCount: Int64

    /// Makes properties from known numbers.
    public init(sampleRate: Int, channelCount: Int, frameCount: Int64) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.frameCount = frameCount
    }

    /// How long it takes to hear, in seconds; 0 if the sample rate is not known.
    public var seconds: Double {
        sampleRate > 0 ? Double(frameCount) / Double(sampleRate) : 0
    }
}
