public import Foundation

/// An audio file joined from several sources, and the position of each source in it.
public struct JoinedAudio: Sendable, Equatable {
    /// The position of one source in the joined file.
    public struct Part: Sendable, Hashable {
        /// The index of the source, from 0 in the order of joining.
        public let index: Int
        /// The source's first frame in the joined file, from 0.
        public let startFrame: Int64
        /// The number of frames, at least 1.
        public let frameCount: Int64
    }

    /// The finished file.
    public let url: URL
    /// The file's sample rate, number of channels and length.
    public let properties: AudioProperties
    /// The sources, in the order of joining.
    public let parts: [Part]
}
