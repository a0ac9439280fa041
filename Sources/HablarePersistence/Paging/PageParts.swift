import GRDB

/// The conditions of the rows beyond a position, one for each range of the index.
///
/// As one condition, "beyond (a, b)" is `a > ? OR (a = ? AND b > ?)`, for which SQLite scans. A comparison of row
/// values supports neither mixed directions nor `NULL`. So each part is a query of its own, the nearest first. Each is
/// a range of the index: the rows with the same a and a larger b, then those with a larger a.
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

    /// A range of the index: conditions that all hold. Only the last one is a range.
    typealias Part = [(column: String, condition: Condition)]

    /// The ranges, in the order of their rows.
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

    /// Returns the conditions of a single column, as one range or two. `NULL` is the smallest value, and no comparison
    /// finds it.
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
