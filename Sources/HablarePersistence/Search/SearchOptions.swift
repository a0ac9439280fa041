/// The options of a search.
public struct SearchOptions: Sendable, Hashable {
    /// The greatest number of rows of a page, 1 or more; a smaller number counts as 1. Default: 50.
    public var size: Int
    /// The columns of the index to search; `nil`, the default, for all.
    public var columns: [String]?
    /// The length of an excerpt in words, 1 … 64; other numbers are clamped. Default: 12.
    public var excerptLength: Int

    /// Creates options.
    public init(size: Int = 50, columns: [String]? = nil, excerptLength: Int = 12) {
        self.size = size
        self.columns = columns
        self.excerptLength = excerptLength
    }
}
