public import Foundation
public import LecternTexts

/// An act of reading: a person has read up to a verse. Opening a page is none.
public struct ReadingAct: Hashable, Sendable, Codable {
    /// The id of the text.
    public let textID: String
    /// The verse that was read.
    public let verse: VerseID
    /// The time.
    public let date: Date

    /// Creates an act.
    public init(textID: String, verse: VerseID, date: Date) {
        self.textID = textID
        self.verse = verse
        self.date = date
    }
}
