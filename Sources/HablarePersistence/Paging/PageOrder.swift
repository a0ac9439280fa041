/// An order of the rows of a table. In this order, each row has a unique position.
///
/// In an ascending column, `NULL` comes before all other values. In a descending column, `NULL` comes after them.
/// SQLite and its indexes use the same rule. Text is compared with the column's collation.
///
/// If an index has these columns in this order, SQLite reads pages through the index. For example, an index on `(rank,
/// id DESC)` works for the order by ascending rank and descending id, and for its reverse. Without such an index,
/// SQLite sorts the whole table for each page.
public struct PageOrder: Sendable, Hashable {
    /// The direction of a column.
    public enum Direction: String, Sendable, Hashable {
        /// Smaller values come first.
        case ascending
        /// Larger values come first.
        case descending

        var reversed: Direction { self == .ascending ? .descending : .ascending }
    }

    /// A column and its direction.
    public struct Column: Sendable, Hashable {
        /// The column's name in the table.
        public let name: String
        /// The direction of the column.
        public let direction: Direction

        /// Returns a column in which smaller values come first.
        public static func ascending(_ name: String) -> Column { Column(name: name, direction: .ascending) }

        /// Returns a column in which larger values come first.
        public static func descending(_ name: String) -> Column { Column(name: name, direction: .descending) }
    }

    /// All columns. The last column decides between rows that are equal in the other columns.
    public let columns: [Column]

    /// Creates an order.
    ///
    /// - Parameters:
    ///   - columns: The columns to sort by, the most important first. Default: none.
    ///   - unique: The last column to sort by. It decides between rows that are equal in the other columns. Its values
    ///     must be unique and never `NULL`, like a primary key. If two rows are equal in all columns, a row may be
    ///     missing between two pages.
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
