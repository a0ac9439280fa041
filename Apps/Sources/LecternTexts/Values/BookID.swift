/// The id of a book within a text.
///
/// Books of scripture have their OSIS id, such as `John` or `1Sam` (OSIS User Manual 2.1.1, appendix C). A book of one's
/// own is one text with one book, whose id is ``whole``.
public struct BookID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The id's text: ASCII letters and digits.
    public let rawValue: String

    /// Creates an id.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The id's text.
    public var description: String { rawValue }

    /// The only book of a text that is not scripture.
    public static let whole = BookID(rawValue: "Text")
}
