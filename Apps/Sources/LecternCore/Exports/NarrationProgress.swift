/// The progress of a narration of several chapters.
public struct NarrationProgress: Sendable, Hashable {
    /// The number of verses that are done, failed ones included.
    public var verses = 0
    /// The number of all verses.
    public var allVerses = 0
    /// The number of chapters that are done.
    public var chapters = 0
    /// The number of all chapters.
    public var allChapters = 0
    /// The duration of the audio that is ready, in milliseconds.
    public var milliseconds = 0
    /// The number of verses that failed.
    public var failed = 0
    /// The advice while a provider cannot be reached; `nil` if none is waited for.
    public var waiting: String?

    /// Creates the progress of nothing.
    public init() {}
}
