/// The treatment of an imported row if the database has one with the same primary key.
///
/// If a row shares only another unique value with a row of the database, it is another row, and no policy chooses
/// between the two. The import then fails as ``ExchangeError/Code/conflict`` and changes nothing. In a table without a
/// primary key, no row counts as existing.
public enum ImportPolicy: Sendable, Hashable {
    /// The import fails and changes nothing.
    case abort
    /// The row of the document replaces the existing one, in the columns that the document has. The existing key stays
    /// as it is written, and so do the rows that refer to it.
    case replace
    /// The row of the database stays.
    case skip
}

/// The result of an import.
public struct ImportResult: Sendable, Hashable {
    /// The numbers of rows of a table.
    public struct Count: Sendable, Hashable {
        /// The number of rows that were inserted or replaced.
        public internal(set) var written: Int
        /// The number of rows that were left out, because the database has them.
        public internal(set) var skipped: Int
    }

    /// The counts of each table of the document, by its name.
    public let counts: [String: Count]
}
