/// The action for an imported row if the database has a row with the same primary key.
///
/// If the rows have different primary keys and the same value in another unique column, the policy does not apply. The
/// import then fails with ``ExchangeError/Code/conflict`` and changes nothing. In a table without a primary key, every
/// imported row is new.
public enum ImportPolicy: Sendable, Hashable {
    /// The import fails and changes nothing.
    case abort
    /// The imported row replaces the values of the existing row, in the columns that the document has. The existing row
    /// is not deleted, so rows that refer to it stay.
    case replace
    /// The existing row stays, and the imported row is ignored.
    case skip
}

/// The result of an import.
public struct ImportResult: Sendable, Hashable {
    /// The numbers of rows of a table.
    public struct Count: Sendable, Hashable {
        /// The number of rows that were inserted or replaced.
        public internal(set) var written: Int
        /// The number of rows that were skipped, because they are already in the database.
        public internal(set) var skipped: Int
    }

    /// The counts for each table of the document, by the table's name.
    public let counts: [String: Count]
}
