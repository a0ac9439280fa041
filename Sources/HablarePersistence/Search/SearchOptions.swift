/// The options of a search.
///
/// ```swift
/// let options = SearchOptions(size: 20, columns: ["title"], excerptLength: 6)
/// ```
public struct SearchOptions: Sendable, Hashable {
    /// The maximum number of rows in a page. A number below 1 counts as 1. Default: 50. For example, use 20 for a
    /// screen of results.
    public var size: Int
    /// The columns of the index to search. Default: `nil`, for all columns. For example, use `["title"]` to search only
    /// titles.
    public var columns: [String]?
    /// The length of an excerpt in words, from 1 to 64. Other numbers are clamped. Default: 12. For example, use 6 for
    /// a narrow list.
    public var excerptLength: Int

    /// Creates options.
    public init(size: Int = 50, columns: [String]? = nil, excerptLength: Int = 12) {
        self.size = size
        self.columns = columns
        self.excerptLength = excerptLength
    }
}
