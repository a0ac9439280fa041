import GRDB

/// A table that a module of SQLite keeps, such as a search index.
struct VirtualTable {
    let name: String
    private let sql: String

    static func all(_ db: Database) throws -> [VirtualTable] {
        try Row.fetchAll(
            db, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'"
        ).map { VirtualTable(name: $0["name"], sql: $0["sql"]) }
    }

    /// Empties it, where what it is about was erased.
    func erase(_ db: Database, whenErased tables: Set<String>) throws {
        guard sql.lowercased().contains("using fts5") else {
            return try db.execute(literal: "DELETE FROM \(identifier: name)")
        }
        switch content {
        case .own: try db.execute(literal: "DELETE FROM \(identifier: name)")
        case .of(let table) where !tables.contains(table): break
        // Its triggers have deleted the rows one by one. This leaves nothing of what they did not know of either.
        case .of, .none:
            try db.execute(literal: "INSERT INTO \(identifier: name) (\(identifier: name)) VALUES ('delete-all')")
        }
    }

    private enum Content {
        /// The index has the text itself.
        case own
        /// The text is in a table.
        case of(String)
        /// The text is nowhere.
        case none
    }

    private var content: Content {
        guard let option = sql.firstMatch(of: /[(,]\s*content\s*=\s*(?:"([^"]*)"|'([^']*)'|([^,)\s]*))/.ignoresCase())
        else { return .own }
        let table = String(option.1 ?? option.2 ?? option.3 ?? "")
        return table.isEmpty ? .none : .of(table)
    }
}
