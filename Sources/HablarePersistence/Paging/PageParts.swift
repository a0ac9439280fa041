import GRDB

/// The conditions that the rows beyond a place meet, one for each range of the index.
///
/// "Beyond (a, b)" as one condition is `a > ? OR (a = ? AND b > ?)`, for which SQLite scans, and a comparison of row
/// values knows no mixed directions and no `NULL`. As one query for each part, nearest first, each is a range of the
/// index: those with the same a and a larger b, then those with a larger a.
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

    /// A range of the index: conditions that all hold, of which the last alone is a range.
    typealias Part = [(column: String, condition: Condition)]

    /// The ranges, in the order of their rows.
    let parts: [Part]

    /// - Parameters:
    ///   - values: The place.
    ///   - columns: The order, in the direction of reading.
    ///   - isInclusive: Whether the row at the place itself is meant, too.
    init(beyond values: [DatabaseValue], in columns: [PageOrder.Column], isInclusive: Bool) {
        var parts: [Part] = []
        // Rows that share all values but those from a column on are nearer than those that share fewer.
        for index in columns.indices.reversed() {
            let shared = zip(columns, values).prefix(index).map { column, value in
                (column: column.name, condition: value.isNull ? .null : Condition.same(value))
            }
            let isHere = isInclusive && index == columns.indices.last
            for condition in Self.conditions(beyond: values[index], columns[index].direction, orAt: isHere)
            // The tie-breaker is never null, and asking for it is a scan.
            where condition != .null || index != columns.indices.last {
                parts.append(shared + [(columns[index].name, condition)])
            }
        }
        self.parts = parts
    }

    /// What a single column must be, in one range or two. `NULL` is the smallest value, and no comparison finds it.
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
