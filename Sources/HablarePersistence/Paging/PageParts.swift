import GRDB

/// The conditions that select the rows beyond a position. Each condition is a range of an index.
///
/// For an order by two columns a and b, "beyond the position" is `a > ? OR (a = ? AND b > ?)`. For such a condition,
/// SQLite scans the whole table. A comparison of row values does not support mixed directions or `NULL`. Therefore each
/// part of the condition is a separate query, and each query reads one range of the index. The first query reads the
/// nearest rows: those with the same a and a larger b. The second query reads the rows with a larger a.
struct PageParts {
    /// A condition for a column.
    enum Condition: Hashable {
        case same(DatabaseValue)
        case more(DatabaseValue)
        case less(DatabaseValue)
        case atLeast(DatabaseValue)
        case atMost(DatabaseValue)
        case null
        case notNull
    }

    /// A range of the index: conditions that must all hold. The last condition is a range, and the others are
    /// equalities.
    typealias Part = [(column: String, condition: Condition)]

    /// The ranges of the index, in the order in which their rows follow the position.
    let parts: [Part]

    /// - Parameters:
    ///   - values: The row's values at the position.
    ///   - columns: The order, in the direction of reading.
    ///   - isInclusive: Whether to include the row at the position itself.
    init(beyond values: [DatabaseValue], in columns: [PageOrder.Column], isInclusive: Bool) {
        var parts: [Part] = []
        // Rows that share more of the first values with the position are nearer to it.
        for index in columns.indices.reversed() {
            let shared = zip(columns, values).prefix(index).map { column, value in
                (column: column.name, condition: value.isNull ? .null : Condition.same(value))
            }
            let isHere = isInclusive && index == columns.indices.last
            for condition in Self.conditions(beyond: values[index], columns[index].direction, orAt: isHere)
            // The tie-breaker is never null, and testing that is a scan.
            where condition != .null || index != columns.indices.last {
                parts.append(shared + [(columns[index].name, condition)])
            }
        }
        self.parts = parts
    }

    /// Returns the conditions for a single column, as one or two ranges. `NULL` sorts before all values, but no
    /// comparison finds it, so `NULL` may need its own range.
    private static func conditions(
        beyond value: DatabaseValue, _ direction: PageOrder.Direction, orAt isHere: Bool
    ) -> [Condition] {
        switch direction {
        case .ascending where value.isNull: isHere ? [.null, .notNull] : [.notNull]
        case .ascending: [isHere ? .atLeast(value) : .more(value)]
        case .descending where value.isNull: isHere ? [.null] : []
        case .descending: [isHere ? .atMost(value) : .less(value), .null]
        }
    }
}
