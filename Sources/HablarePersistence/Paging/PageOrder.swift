/// An order of the rows of a table in which each row has a position of its own.
///
/// `NULL` comes before all other values in an ascending column and after them in a descending one, as in SQLite and its
/// indexes. Text is compared by the column's collation.
///
/// If an index has these columns in this order, pages are read through the index. An index on `(rank, id DESC)` serves
/// the order by rank ascending and id descending, and the reverse of both. Without such an index, each page sorts the
/// whole table.
public struct PageOrder: Sendable, Hashable {
    /// The direction of a column.
    public enum Direction: String, Sendable, Hashable {
        /// Small values first.
        case ascending
        /// Large values first.
        case descending

        var reversed: Direction { self == .ascending ? .descending : .ascending }
    }

    /// A column and its direction.
    public struct Column: Sendable, Hashable {
        /// The column's name in the table.
        public let name: String
        /// The direction of the column.
        public let direction: Direction

        /// Returns a column with small values first.
        public static func ascending(_ name: String) -> Column { Column(name: name, direction: .ascending) }

        /// Returns a column with large values first.
        public static func descending(_ name: String) -> Column { Column(name: name, direction: .descending) }
    }

    /// All columns. The last one is the tie-breaker.
    public let columns: [Column]

    /// Creates an order.
    ///
    /// - Parameters:
    ///   - columns: The columns to sort by, the most important first. Default: only the tie-breaker.
    ///   - unique: The tie-breaker for rows that are equal in those columns. Its values must be unique and never
    ///     `NULL`, like a primary key. Rows that it does not distinguish may be missed at the edge of a page.
    public init(_ columns: Column..., unique: Column) {
        self.init(columns, unique: unique)
    }

    /// Creates an order from an array of columns.
    public init(_ columns: [Column], unique: Column) {
        // A column after the tie-breaker, or a repeated one, changes nothing.
        var seen: Set<String> = [unique.name]
        self.columns = columns.prefix { $0.name != unique.name }.filter { seen.insert($0.name).inserted } + [unique]
    }

    /// The text by which a cursor identifies its order.
    var signature: String {
        columns.map { ($0.direction == .ascending ? "+" : "-") + $0.name }.joined(separator: ",")
    }
}
