/// How much of what is found is given, and how.
public struct SearchOptions: Sendable, Hashable {
    /// The most rows of a page, 1 or more (less is taken for that). Default: 50.
    public var size: Int
    /// Which of the index's columns are searched; `nil`: all. Default: all.
    public var columns: [String]?
    /// How much of the text an excerpt has, in words: 1 … 64 (more and less is taken for that). Default: 12.
    public var excerptLength: Int

    /// Creates options.
    public init(size: Int = 50, columns: [String]? = nil, excerptLength: Int = 12) {
        self.size = size
        self.columns = columns
        self.excerptLength = excerptLength
    }
}
