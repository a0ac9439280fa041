public import Hablare
public import LecternTexts

/// A verse that a voice could not read. The verse is skipped, and a later narration tries it again.
public struct NarrationProblem: Sendable, Hashable, Codable {
    /// The verse.
    public var verse: VerseID
    /// The provider that failed.
    public var provider: ProviderID
    /// The reason and the remedy, in full sentences.
    public var message: String
}

/// A change during the narration of a chapter.
public enum NarrationUpdate: Sendable, Hashable {
    /// A segment can be heard.
    case ready(index: Int, milliseconds: Int, key: VerseAudioKey)
    /// A segment failed and is skipped.
    case failed(index: Int, NarrationProblem)
    /// The provider cannot be reached, and the narration tries again after a pause.
    case waiting(index: Int, message: String)
    /// The local voice reads a segment, because the chosen one cannot be reached.
    case replaced(index: Int, by: NarrationVoice)
}

/// The result of the narration of a chapter.
public struct ChapterNarration: Sendable, Hashable {
    /// The key and the duration of each segment's audio; `nil` for a segment that failed.
    public var audio: [SegmentAudio?]
    /// The verses that failed.
    public var problems: [NarrationProblem] = []

    /// The audio of a segment.
    public struct SegmentAudio: Sendable, Hashable {
        /// The key in the ``VerseAudioStore``.
        public var key: VerseAudioKey
        /// The duration.
        public var milliseconds: Int
    }
}
