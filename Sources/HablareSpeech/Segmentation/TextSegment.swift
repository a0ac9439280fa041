/// One piece of a text that is to be spoken in one go.
public struct TextSegment: Sendable, Hashable {
    /// The place among the segments of its text, from 0 without gaps.
    public let index: Int
    /// What is to be spoken: trimmed, with every run of white space, line ends included, written as one space.
    public let text: String
    /// Where it stands, in bytes from the beginning of the source file; never begins or ends with white space.
    public let utf8Range: Range<Int>

    /// Makes a segment; ``TextSegmenter`` does this for a whole text.
    public init(index: Int, text: String, utf8Range: Range<Int>) {
        self.index = index
        self.text = text
        self.utf8Range = utf8Range
    }
}
