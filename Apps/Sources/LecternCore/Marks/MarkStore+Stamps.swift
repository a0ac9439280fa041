public import GRDB
public import LecternTexts

extension MarkStore {
    /// Returns a text for each book with marks. It differs when a mark of the book was added, changed or removed, so that
    /// a copy of the book's pages can be compared with it.
    public func stamps(in db: Database) throws -> [BookID: String] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT book, count(*) || '.' || sum(revision) || '.' || sum(isRemoved) || '.' || max(changedAt)
                FROM mark WHERE book IS NOT NULL GROUP BY book
                """)
        return Dictionary(
            rows.map { (BookID(rawValue: $0[0]), $0[1] as String) }, uniquingKeysWith: { first, _ in first })
    }
}
