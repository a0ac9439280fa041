public import LecternTexts

/// A book that a paid voice would read, with its cost. A person sees it before the first request is made.
public struct PaidReading: Sendable, Hashable {
    /// The voice.
    public let voice: NarrationVoice
    /// The book.
    public let book: BookID
    /// The greatest cost of what is missing of the book, from the chapter that is opened.
    public let cost: NarrationCost

    /// A voice, and a book that it may read.
    struct Permit: Hashable {
        let voice: String
        let book: BookID
    }

    var permit: Permit { Permit(voice: voice.id, book: book) }
}
