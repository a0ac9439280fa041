import GRDB

/// A table of an SQLite module, such as a search index.
struct VirtualTable {
    let name: String
    /// The name of the module in lower case, such as `fts5`.
    private let module: String
    private let sql: String

    /// The modules whose tables show the data of other tables. Such tables cannot be written.
    private static let mirrors: Set<String> = ["fts5vocab", "fts4aux", "fts3tokenize", "dbstat"]

    private init(name: String, sql: String) {
        self.name = name
        self.sql = sql
        // The table's name may be quoted in any way that SQLite knows, and may contain any character.
        let head =
            /^CREATE VIRTUAL TABLE\s+(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|`(?:[^`]|``)*`|\[[^\]]*\]|[^\s"'`\[]+)\s+USING\s+["'`\[]?(\w+)/
            .ignoresCase()
        module = sql.firstMatch(of: head).map { $0.1.lowercased() } ?? ""
    }

    static func all(_ db: Database) throws -> [VirtualTable] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'
                ORDER BY name
                """
        ).map { VirtualTable(name: $0["name"], sql: $0["sql"]) }
    }

    /// Whether the table stores rows itself, instead of showing rows of another table.
    var holdsOwnRows: Bool {
        guard !Self.mirrors.contains(module) else { return false }
        guard module == "fts5" || module == "fts4" else { return true }
        return if case .own = content { true } else { false }
    }

    /// Empties the table if its rows come from erased tables.
    func erase(_ db: Database, whenErased tables: Set<String>) throws {
        guard !Self.mirrors.contains(module) else { return }
        guard module == "fts5" else { return try db.execute(literal: "DELETE FROM \(identifier: name)") }
        switch content {
        case .own: try db.execute(literal: "DELETE FROM \(identifier: name)")
        case .of(let table) where !tables.contains(table): break
        // Its triggers deleted the rows one by one. This also removes the ones that they did not know of.
        case .of, .none:
            try db.execute(literal: "INSERT INTO \(identifier: name) (\(identifier: name)) VALUES ('delete-all')")
        }
    }

    private enum Content {
        /// The index itself stores the text that it finds.
        case own
        /// Another table stores the text.
        case of(String)
        /// The text is not stored.
        case none
    }

    private var content: Content {
        guard let option = sql.firstMatch(of: /[(,]\s*content\s*=\s*(?:"([^"]*)"|'([^']*)'|([^,)\s]*))/.ignoresCase())
        else { return .own }
        let table = String(option.1 ?? option.2 ?? option.3 ?? "")
        return table.isEmpty ? .none : .of(table)
    }
}
