/// The order of the rows of a table, in which each row has a place of its own.
///
/// `NULL` comes before all else in an ascending column and after it in a descending one, as in SQLite and its indexes.
/// Text is compared as the column's collation says.
///
/// Pages are read by index where an index has these columns in this order: an index on `(rank, id DESC)` serves the
/// order by rank ascending and id descending, and the reverse of both. Without one each page sorts the whole table.
public struct PageOrder: Sendable, Hashable {
    /// Which way a column goes.
    public enum Direction: String, Sendable, Hashable {
        /// The small ones first.
        case ascending
        /// The large ones first.
        case descending

        var reversed: Direction { self == .ascending ? .descending : .ascending }
    }

    /// A column and its direction.
    public struct Column: Sendable, Hashable {
        /// The column's name in the table.
        public let name: String
        /// Which way it goes.
        public let direction: Direction

        /// A column, the small ones first.
        public static func ascending(_ name: String) -> Column { Column(name: name, direction: .ascending) }

        /// A column, the large ones first.
        public static func descending(_ name: String) -> Column { Column(name: name, direction: .descending) }
    }

    /// All columns, the last of which is the tie-breaker.
    public let columns: [Column]

    /// Creates an order.
    ///
    /// - Parameters:
    ///   - columns: What rows are sorted by, the most important first. Default: the tie-breaker alone.
    ///   - unique: What sorts the rows that are equal in those: a column whose values differ from row to row and are never
    ///     `NULL`, as a primary key is. Rows that it does not tell apart may be missed at the edge of a page.
    public init(_ columns: Column..., unique: Column) {
        self.init(columns, unique: unique)
    }

    /// Creates an order of columns that a program has put together.
    public init(_ columns: [Column], unique: Column) {
        // What comes after the tie-breaker, or again, changes nothing.
        var seen: Set<String> = [unique.name]
        self.columns = columns.prefix { $0.name != unique.name }.filter { seen.insert($0.name).inserted } + [unique]
    }

    /// Says which order a cursor is of.
    var signature: String {
        columns.map { ($0.direction == .ascending ? "+" : "-") + $0.name }.joined(separator: ",")
    }
}
