import Foundation
import GRDB

/// An operation that reads a document into a database. The caller opens the transaction.
struct TableImport {
    private let db: Database
    private var writer: TableWriter
    private var reader: JSONReader
    private var table: String?
    private var row: Int?

    init(_ reader: JSONReader, into db: Database, policy: ImportPolicy) throws {
        self.reader = reader
        self.db = db
        writer = try TableWriter(db: db, policy: policy)
    }

    mutating func run() throws -> ImportResult {
        try checkMigrations(try header())
        try expectKey("tables")
        try expect(.beginArray, "The tables are not an array.")
        while try more(until: .endArray, .beginObject, "A table is not an object.") { try readTable() }
        try expect(.endObject, "There is unexpected content after the tables.")
        try expect(.end, "There is unexpected content after the document.")
        return try writer.finish()
    }

    /// Reads the beginning of the document, and returns the migrations of the database that wrote it.
    mutating func header() throws -> [String] {
        try expect(.beginObject, "The document is not a JSON object.")
        try expectKey("format")
        guard case .string(TableDocument.format) = try reader.next() else {
            throw failure(.unknownFormat, "This is not a document of exported tables. Choose another file.")
        }
        try expectKey("version")
        guard case .integer(TableDocument.version) = try reader.next() else {
            throw failure(.unknownFormat, "A newer version of the library exported the document. Update this app.")
        }
        try expectKey("migrations")
        return try strings()
    }

    // MARK: Parts

    private func checkMigrations(_ theirs: [String]) throws {
        let ours = try TableDocument.migrations(db)
        guard Set(theirs) != Set(ours) else { return }
        let newer = Set(theirs).subtracting(ours).sorted().joined(separator: ", ")
        let advice =
            newer.isEmpty
            ? "An older version of this app exported it. Export it with the current version."
            : "It has the migrations \(newer), which this database does not have. Update this app."
        throw failure(.otherSchema, "The document comes from a database with another schema. \(advice)")
    }

    private mutating func readTable() throws {
        try expectKey("name")
        guard case .string(let name) = try reader.next() else { throw reader.malformed("A table has no name.") }
        try locating { try $0.begin(name) }
        table = name
        try expectKey("columns")
        let columns = try strings()
        guard !columns.isEmpty else { throw reader.malformed("A table has no columns.") }
        try locating { try $0.choose(columns) }
        try expectKey("rows")
        try expect(.beginArray, "The rows are not an array.")
        var number = 0
        while try more(until: .endArray, .beginArray, "A row is not an array.") {
            number += 1
            row = number
            let values = try values(columns.count)
            try locating { try $0.insert(values) }
        }
        (table, row) = (nil, nil)
        try expect(.endObject, "There is unexpected content after the rows.")
    }

    /// Uses the writer, and adds the position in the document to its errors.
    private mutating func locating(_ body: (inout TableWriter) throws -> Void) throws {
        do {
            try body(&writer)
        } catch let error as ExchangeError {
            throw failure(error.code, error.message, cause: error.cause)
        }
    }

    // MARK: Values

    private mutating func values(_ count: Int) throws -> [DatabaseValue] {
        var values: [DatabaseValue] = []
        values.reserveCapacity(count)
        while let value = try value() { values.append(value) }
        guard values.count == count else {
            throw failure(.invalidRow, "A row has \(values.count) values instead of \(count). Nothing was changed.")
        }
        return values
    }

    /// Reads a value of a row. Returns `nil` at the end of the row.
    private mutating func value() throws -> DatabaseValue? {
        switch try reader.next() {
        case .endArray: return nil
        case .null: return .null
        case .integer(let number): return number.databaseValue
        case .real(let number): return number.databaseValue
        case .string(let text): return text.databaseValue
        case .beginObject: return try objectValue()
        case .bool: throw reader.malformed("A value is true or false, which a database cannot store. Write 1 or 0.")
        default: throw reader.malformed("A value has a type that a database cannot store.")
        }
    }

    private mutating func objectValue() throws -> DatabaseValue {
        guard case .key(let kind) = try reader.next(), case .string(let text) = try reader.next(),
            case .endObject = try reader.next()
        else { throw reader.malformed("A value has a type that a database cannot store.") }
        switch (kind, text) {
        case ("real", "inf"): return Double.infinity.databaseValue
        case ("real", "-inf"): return (-Double.infinity).databaseValue
        case ("base64", _):
            guard let data = Data(base64Encoded: text) else { throw reader.malformed("A blob is not base64.") }
            return data.databaseValue
        default: throw reader.malformed("A value has a type that a database cannot store.")
        }
    }

    // MARK: Tokens

    private mutating func strings() throws -> [String] {
        try expect(.beginArray, "An array of names is expected here.")
        var strings: [String] = []
        while true {
            switch try reader.next() {
            case .string(let text): strings.append(text)
            case .endArray: return strings
            default: throw reader.malformed("A name is not a string.")
            }
        }
    }

    /// Returns whether an array has another element.
    private mutating func more(until end: JSONReader.Token, _ start: JSONReader.Token, _ message: String) throws -> Bool
    {
        let token = try reader.next()
        guard token == start || token == end else { throw reader.malformed(message) }
        return token == start
    }

    private mutating func expect(_ token: JSONReader.Token, _ message: String) throws {
        guard try reader.next() == token else { throw reader.malformed(message) }
    }

    private mutating func expectKey(_ key: String) throws {
        try expect(
            .key(key), "\u{201C}\(key)\u{201D} is missing here. The keys must have the same order as in an export.")
    }

    private func failure(_ code: ExchangeError.Code, _ message: String, cause: (any Error)? = nil) -> ExchangeError {
        ExchangeError(
            code, message, at: ExchangeError.Position(line: reader.line, table: table, row: row), cause: cause)
    }
}
