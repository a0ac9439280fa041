import GRDB

extension PageParts.Condition {
    func expression(_ column: Column) -> SQLExpression {
        switch self {
        case .same(let value): column == value
        case .more(let value): column > value
        case .less(let value): column < value
        case .atLeast(let value): column >= value
        case .atMost(let value): column <= value
        case .null: column == nil
        case .notNull: column != nil
        }
    }
}
