import Foundation
import GRDB

/// The format of an exported document and of the values in it.
///
/// ```json
/// {"format":"hablare-tables","version":1,"migrations":["001-notes"],"tables":[
/// {"name":"note","columns":["id","title"],"rows":[
/// [1,"one"]
/// ]}
/// ]}
/// ```
///
/// The members have this order, so that a reader knows a table's columns before the table's first row. An integer is
/// written without a point and an exponent. A real number has a point or an exponent. Values that JSON cannot express
/// are objects: `{"base64":"…"}` for a blob, and `{"real":"inf"}` or `{"real":"-inf"}` for an infinite number.
enum TableDocument {
    static let format = "hablare-tables"
    static let version: Int64 = 1

    /// Returns the applied migrations of a database, in order.
    static func migrations(_ db: Database) throws -> [String] {
        guard try db.tableExists("grdb_migrations") else { return [] }
        return try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY identifier")
    }

    /// The prefix of the names of this library's own tables: receipts of merges and the journal of actions. If old rows
    /// of these tables were imported, the app would repeat finished work.
    static let prefixOfBooks = "hablare_"

    /// Returns the tables that are exported if no tables are named.
    static func tablesOfApp(_ db: Database) throws -> [String] {
        try tables(db).filter { !$0.lowercased().hasPrefix(prefixOfBooks) }
    }

    /// Returns the tables that contain rows. Tables that an index, SQLite or GRDB uses internally are omitted.
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

    /// Returns the stored columns, in order. Generated columns are omitted, because SQLite computes them again.
    static func columns(_ table: String, _ db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", arguments: [table])
    }

    /// Returns a value in the format of the document.
    static func text(of value: DatabaseValue) -> String {
        switch value.storage {
        case .null: "null"
        case .int64(let number): "\(number)"
        case .double(let number) where number.isInfinite: #"{"real":"\#(number < 0 ? "-inf" : "inf")"}"#
        // The shortest text that is read back as the same number, always with a point or an e.
        case .double(let number): "\(number)"
        case .string(let text): quoted(text)
        case .blob(let bytes): #"{"base64":"\#(bytes.base64EncodedString())"}"#
        }
    }

    /// Returns a text as a JSON string.
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
