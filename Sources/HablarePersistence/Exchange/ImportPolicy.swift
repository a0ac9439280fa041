/// What becomes of an imported row where the database has one with the same primary key.
///
/// Where a row shares only another unique value with a row of the database, it is another row, and no policy knows which of
/// the two is meant: the import fails as ``ExchangeError/Code/conflict`` and changes nothing. A table without a primary key
/// has no row already.
public enum ImportPolicy: Sendable, Hashable {
    /// The import fails and changes nothing.
    case abort
    /// The row of the document takes its place, in the columns that the document has. Its key stays as it is written, and so
    /// does what refers to it.
    case replace
    /// The row of the database stays.
    case skip
}

/// What an import did.
public struct ImportResult: Sendable, Hashable {
    /// The rows of a table.
    public struct Count: Sendable, Hashable {
        /// How many were inserted or replaced.
        public internal(set) var written: Int
        /// How many were left out, because the database has them.
        public internal(set) var skipped: Int
    }

    /// For each table of the document, by its name.
    public let counts: [String: Count]
}
