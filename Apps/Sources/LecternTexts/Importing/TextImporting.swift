/// Reads a text from a source, such as a file.
///
/// An importer holds one chapter in memory at a time, as far as its format allows that.
public protocol TextImporting: Sendable {
    /// Reads the text and passes its parts on in the order of reading: the text, then each book before its chapters.
    ///
    /// The call blocks, so call it on a thread that may wait. It checks for cancellation before each part.
    ///
    /// - Throws: ``TextImportError``, `CancellationError`, or an error of `receive`.
    func read(_ receive: (TextPart) throws -> Void) throws
}

/// A part of a text that is read.
public enum TextPart: Hashable, Sendable {
    /// The text itself, once, first.
    case text(TextDescription)
    /// A book, before its chapters.
    case book(BookDescription)
    /// A chapter of the last book.
    case chapter(Chapter)
    /// Something that was left out or repaired. The text is usable.
    case warning(TextImportWarning)
}

/// Something that an importer left out or repaired.
public struct TextImportWarning: Hashable, Sendable, Codable {
    /// The place in the source, such as a line or the name of a file within it.
    public var place: String
    /// The message, in full sentences.
    public var message: String

    /// Creates a warning.
    public init(place: String, message: String) {
        self.place = place
        self.message = message
    }
}
