public import Foundation
public import LecternTexts

/// An act of reading or listening, in the history.
public struct ReadingEvent: Hashable, Sendable, Codable, Identifiable {
    /// A kind of act.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// Reading.
        case reading
        /// Listening.
        case listening
    }

    /// The permanent id.
    public let id: UUID
    /// The kind.
    public let kind: Kind
    /// The device.
    public let device: String
    /// The text.
    public let text: String
    /// The chapter.
    public let chapter: ChapterID
    /// The last verse; `nil` if unknown.
    public let verse: Int?
    /// When it began.
    public let startedAt: Moment
    /// When it was noticed last.
    public let endedAt: Moment
}

/// A place in a text that was reached on a device.
public struct ReadingPosition: Hashable, Sendable, Codable {
    /// The device: an id that the page keeps, at most 100 bytes.
    public var device: String
    /// The text.
    public var text: String
    /// Whether it was reached by reading or by listening.
    public var kind: ReadingEvent.Kind
    /// The chapter.
    public var chapter: ChapterID
    /// The verse; `nil` for the beginning of the chapter.
    public var verse: Int?
    /// The milliseconds into the verse, for listening.
    public var offset: Int
    /// The time of the act, by the clock of the device.
    public var madeAt: Moment

    /// Creates a position.
    public init(
        device: String, text: String, kind: ReadingEvent.Kind, chapter: ChapterID, verse: Int? = nil, offset: Int = 0,
        madeAt: Moment
    ) {
        self.device = device
        self.text = text
        self.kind = kind
        self.chapter = chapter
        self.verse = verse
        self.offset = offset
        self.madeAt = madeAt
    }

    /// Whether two positions are at the same verse.
    func isSamePlace(as other: ReadingPosition) -> Bool { chapter == other.chapter && verse == other.verse }
}
