/// A piece of a text for one speech request.
public struct TextSegment: Sendable, Hashable {
    /// The index among the segments of the text. The first segment has the index 0.
    public let index: Int
    /// The text to speak. White space at its beginning and end is removed. All other white space, including line ends,
    /// is replaced by single spaces.
    public let text: String
    /// The range in bytes from the beginning of the source file. The range never begins or ends with white space.
    public let utf8Range: Range<Int>

    /// Creates a segment. To create the segments of a whole text, use ``TextSegmenter``.
    public init(index: Int, text: String, utf8Range: Range<Int>) {
        self.index = index
        self.text = text
        self.utf8Range = utf8Range
    }
}
