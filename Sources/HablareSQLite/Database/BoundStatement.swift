import Foundation
import GRDB
import GRDBSQLite
import Hablare

/// A cached SQL statement. Its values are bound without boxing, because every write of the store uses such statements.
///
/// Only this file calls SQLite's C interface. It follows these rules:
///
/// - A statement is used only inside the database access that took it from GRDB's cache, on the thread of this access.
/// - SQLite copies values when they are bound.
/// - Every execution ends with a reset, even if it throws. An error of one request therefore never appears in the next
///   request.
struct BoundStatement: ~Copyable {
    private let statement: Statement
    private let handle: OpaquePointer
    private let connection: OpaquePointer?
    private var failure: Int32 = SQLITE_OK

    init(_ db: Database, _ sql: String) throws {
        statement = try db.cachedStatement(sql: sql)
        handle = statement.sqliteStatement
        connection = db.sqliteConnection
    }

    private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    private mutating func note(_ code: Int32) {
        if failure == SQLITE_OK, code != SQLITE_OK { failure = code }
    }

    mutating func bind(_ index: Int32, _ value: Int64) {
        note(sqlite3_bind_int64(handle, index, value))
    }

    mutating func bind(_ index: Int32, _ value: Int) {
        bind(index, Int64(value))
    }

    mutating func bind(_ index: Int32, _ value: Int64?) {
        if let value { bind(index, value) } else { note(sqlite3_bind_null(handle, index)) }
    }

    /// Binds a number. NaN is stored as NULL.
    mutating func bind(_ index: Int32, _ value: Double?) {
        if let value { note(sqlite3_bind_double(handle, index, value)) } else { note(sqlite3_bind_null(handle, index)) }
    }

    mutating func bind(_ index: Int32, _ text: String?) {
        guard var text else { return note(sqlite3_bind_null(handle, index)) }
        note(
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text64(
                        handle, index, $0.baseAddress, UInt64($0.count), Self.transient, UInt8(SQLITE_UTF8))
                }
            })
    }

    mutating func bind(_ index: Int32, _ data: Data?) {
        guard let data else { return note(sqlite3_bind_null(handle, index)) }
        guard !data.isEmpty else { return note(sqlite3_bind_zeroblob(handle, index, 0)) }
        note(
            data.withUnsafeBytes {
                sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), Self.transient)
            })
    }

    mutating func bind(_ index: Int32, _ work: Fingerprint) {
        bind(index, beginningOf: work, length: 32)
    }

    /// Binds the first bytes of a fingerprint.
    mutating func bind(_ index: Int32, beginningOf work: Fingerprint, length: Int) {
        note(
            work.withUnsafeBytes {
                sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64(min(length, $0.count)), Self.transient)
            })
    }

    mutating func bind(_ index: Int32, _ id: UUID) {
        note(withUnsafeBytes(of: id.uuid) { sqlite3_bind_blob64(handle, index, $0.baseAddress, 16, Self.transient) })
    }

    /// Executes the statement once. Returns the number of rows that it changed.
    @discardableResult
    mutating func run() throws -> Int {
        defer { reset() }
        try checkBindings()
        let code = sqlite3_step(handle)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw error(code) }
        return Int(sqlite3_changes(connection))
    }

    /// Executes the statement and calls a closure with every row.
    mutating func forEach(_ row: (borrowing RowReader) throws -> Void) throws {
        defer { reset() }
        try checkBindings()
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: try row(RowReader(handle: handle))
            case SQLITE_DONE: return
            case let code: throw error(code)
            }
        }
    }

    private mutating func checkBindings() throws {
        guard failure == SQLITE_OK else { throw error(failure) }
    }

    private mutating func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        failure = SQLITE_OK
    }

    private func error(_ code: Int32) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: connection.map(sqlite3_extended_errcode) ?? code),
            message: connection.flatMap { String(validatingCString: sqlite3_errmsg($0)) })
    }

    /// The current row of a statement. The first column has the number 0.
    struct RowReader: ~Copyable {
        fileprivate let handle: OpaquePointer

        func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

        func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

        func optionalInt(_ column: Int32) -> Int64? { isNull(column) ? nil : int(column) }

        func optionalDouble(_ column: Int32) -> Double? {
            isNull(column) ? nil : sqlite3_column_double(handle, column)
        }

        func text(_ column: Int32) -> String? {
            guard let bytes = sqlite3_column_text(handle, column) else { return nil }
            let count = Int(sqlite3_column_bytes(handle, column))
            return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        }

        func data(_ column: Int32) -> Data? {
            guard !isNull(column) else { return nil }
            let count = Int(sqlite3_column_bytes(handle, column))
            guard count > 0, let bytes = sqlite3_column_blob(handle, column) else { return Data() }
            return Data(bytes: bytes, count: count)
        }

        func uuid(_ column: Int32) -> UUID? {
            guard let data = data(column) else { return nil }
            return UUID(bytes: data)
        }
    }
}
