public import Foundation

/// An audio file that was joined from several, and where each of them is in it.
public struct JoinedAudio: Sendable, Equatable {
    /// Where one source is in the joined file.
    public struct Part: Sendable, Hashable {
        /// Which source, from 0 in the order of joining.
        public let index: Int
        /// Its first frame in the joined file, from 0.
        public let startFrame: Int64
        /// How many frames it has, at least 1.
        public let frameCount: Int64
    }

    /// The finished file.
    public let url: URL
    /// Its sample rate, channels and length.
    public let properties: AudioProperties
    /// The sources, in the order of joining.
    public let parts: [Part]
}
