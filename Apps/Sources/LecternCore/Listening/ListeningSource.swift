public import LecternTexts

/// The text that is listened to, as the player needs it.
public struct ListeningSource: Sendable {
    /// The id of the text.
    public var text: String
    /// Reads a chapter.
    public var chapter: @Sendable (ChapterID) async throws -> Chapter
    /// Returns the chapter after another one; `nil` at the end of the text.
    public var next: @Sendable (ChapterID) async throws -> ChapterID?

    /// Creates a source.
    public init(
        text: String, chapter: @escaping @Sendable (ChapterID) async throws -> Chapter,
        next: @escaping @Sendable (ChapterID) async throws -> ChapterID?
    ) {
        self.text = text
        self.chapter = chapter
        self.next = next
    }
}

/// A sound that a page should play now.
public struct PlayingSound: Sendable, Hashable {
    /// Distinguishes this command from earlier ones. A report about an earlier one is ignored.
    public var number: Int
    /// The verse and the place in it.
    public var position: PlaybackPosition
    /// The audio.
    public var key: VerseAudioKey
    /// The duration of the verse in milliseconds.
    public var milliseconds: Int
}
