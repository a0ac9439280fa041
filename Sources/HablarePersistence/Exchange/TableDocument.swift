import Foundation
import GRDB

/// What an exported document says of itself, and how values are written in it.
///
/// ```json
/// {"format":"hablare-tables","version":1,"migrations":["001-notes"],"tables":[
/// {"name":"note","columns":["id","title"],"rows":[
/// [1,"one"]
/// ]}
/// ]}
/// ```
///
/// The keys stand in this order, so that a reader knows a table's columns before its first row. An integer has neither
/// point nor exponent, a real number has one of them. What JSON has not is an object: `{"base64":"…"}` for a blob,
/// `{"real":"inf"}` and `{"real":"-inf"}`.
enum TableDocument {
    static let format = "hablare-tables"
    static let version: Int64 = 1

    /// The migrations that a database has, in their order.
    static func migrations(_ db: Database) throws -> [String] {
        guard try db.tableExists("grdb_migrations") else { return [] }
        return try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY identifier")
    }

    /// How the names of the tables begin that are our own books: receipts of merges, the journal of actions. An old one
    /// would have the app do again what is done.
    static let prefixOfBooks = "hablare_"

    /// The tables that go into a document if none are named.
    static func tablesOfApp(_ db: Database) throws -> [String] {
        try tables(db).filter { !$0.lowercased().hasPrefix(prefixOfBooks) }
    }

    /// The tables that hold rows: not those that an index or SQLite or GRDB keeps for itself.
    static func tables(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT name FROM pragma_table_list
                WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                    AND name NOT LIKE 'grdb\\_%' ESCAPE '\\'
                ORDER BY name
                """)
    }

    /// The columns that are stored, in their order: those that are computed from others come back by themselves.
    static func columns(_ table: String, _ db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", arguments: [table])
    }

    /// A value as it is written.
    static func text(of value: DatabaseValue) -> String {
        switch value.storage {
        case .null: "null"
        case .int64(let number): "\(number)"
        case .double(let number) where number.isInfinite: #"{"real":"\#(number < 0 ? "-inf" : "inf")"}"#
        // The shortest that is read back as the same, always with a point or an e.
        case .double(let number): "\(number)"
        case .string(let text): quoted(text)
        case .blob(let bytes): #"{"base64":"\#(bytes.base64EncodedString())"}"#
        }
    }

    /// A string of JSON.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{0}"..<"\u{20}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
