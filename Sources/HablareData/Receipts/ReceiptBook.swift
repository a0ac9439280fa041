import Foundation
import GRDB

/// The statements on receipts and promises. Only they touch those tables.
enum ReceiptBook {
    /// Writes a receipt, unless there is one.
    ///
    /// - Returns: `nil` where it was written; else the date of the one that is there.
    static func enter(_ key: MergeKey, at date: Date, in database: Database) throws -> Date? {
        try database.cachedStatement(
            sql: """
                INSERT INTO hablare_receipts (request, target, row, merged_at) VALUES (?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """
        ).execute(arguments: arguments(key) + [milliseconds(date)])
        guard database.changesCount == 0 else { return nil }
        return try self.date(of: key, in: database) ?? date
    }

    /// When a merge was done; `nil` where it was not.
    static func date(of key: MergeKey, in database: Database) throws -> Date? {
        let statement = try database.cachedStatement(
            sql: "SELECT merged_at FROM hablare_receipts WHERE request = ? AND target = ? AND row = ?")
        return try Int64.fetchOne(statement, arguments: arguments(key)).map(Self.date)
    }

    /// Whether a promise was made.
    enum Promised: Sendable, Hashable {
        /// Now.
        case now
        /// Before.
        case before
        /// It was done, so there is nothing to promise.
        case merged(Date)
    }

    /// Notes that a merge is to be done when its response is there. Harmless where it was promised or done before.
    static func promise(_ key: MergeKey, at date: Date, in database: Database) throws -> Promised {
        if let date = try self.date(of: key, in: database) { return .merged(date) }
        try database.cachedStatement(
            sql: """
                INSERT INTO hablare_promises (request, target, row, promised_at) VALUES (?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """
        ).execute(arguments: arguments(key) + [milliseconds(date)])
        return database.changesCount > 0 ? .now : .before
    }

    /// A promise is kept, or is none any more.
    ///
    /// - Returns: Whether it was one until now.
    @discardableResult
    static func forget(_ key: MergeKey, in database: Database) throws -> Bool {
        try database.cachedStatement(
            sql: "DELETE FROM hablare_promises WHERE request = ? AND target = ? AND row = ?"
        ).execute(arguments: arguments(key))
        return database.changesCount > 0
    }

    /// Notes why a promise could not be kept so far.
    static func note(_ failure: String, of key: MergeKey, in database: Database) throws {
        try database.cachedStatement(
            sql: "UPDATE hablare_promises SET failure = ? WHERE request = ? AND target = ? AND row = ?"
        ).execute(arguments: [failure] + arguments(key))
    }

    /// Promises as the database has them.
    struct Promises: Sendable {
        var readable: [MergePromise] = []
        /// Rows that are not as this library writes them. They stay, and the engine keeps the responses that they name.
        var damaged = 0
    }

    /// The promises of one request, or of all, oldest requests first.
    static func promises(of request: UUID? = nil, in database: Database) throws -> Promises {
        let rows =
            if let request {
                try Row.fetchAll(
                    database.cachedStatement(sql: "SELECT * FROM hablare_promises WHERE request = ?"),
                    arguments: [request])
            } else {
                try Row.fetchAll(database, sql: "SELECT * FROM hablare_promises ORDER BY request")
            }
        var promises = Promises()
        for row in rows {
            if let promise = promise(row) {
                promises.readable.append(promise)
            } else {
                promises.damaged += 1
            }
        }
        return promises
    }

    /// `nil` for a row that is damaged.
    private static func promise(_ row: Row) -> MergePromise? {
        func value<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
            Value.fromDatabaseValue(row[column])
        }
        guard let request: UUID = value("request"), let target: String = value("target"),
            let key: DatabaseValue = value("row"), let promisedAt: Int64 = value("promised_at")
        else { return nil }
        return MergePromise(
            key: MergeKey(requestID: request, target: target, row: MergeRow(key)), promisedAt: date(promisedAt),
            failure: value("failure"))
    }

    /// Requests with receipts that the engine was not told of, in the order of their UUIDs.
    static func unreleased(after last: UUID?, limit: Int, in database: Database) throws -> [UUID] {
        try UUID.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT DISTINCT request FROM hablare_receipts WHERE released = 0 AND request > ? ORDER BY request LIMIT ?
                    """), arguments: [last?.databaseValue ?? Data().databaseValue, limit])
    }

    /// Those of which no merge is promised.
    static func unpromised(_ requests: [UUID], in database: Database) throws -> [UUID] {
        try requests.filter { request in
            let statement = try database.cachedStatement(
                sql: "SELECT EXISTS (SELECT 1 FROM hablare_promises WHERE request = ?)")
            return try Bool.fetchOne(statement, arguments: [request]) == false
        }
    }

    /// The engine knows that these are merged.
    static func released(_ requests: [UUID], in database: Database) throws {
        for request in requests {
            try database.cachedStatement(
                sql: "UPDATE hablare_receipts SET released = 1 WHERE request = ? AND released = 0"
            ).execute(arguments: [request])
        }
    }

    /// Requests all of whose receipts are from before a date and known to the engine, in the order of their UUIDs.
    static func requests(
        before date: Date, after last: UUID?, limit: Int, in database: Database
    ) throws -> [UUID] {
        try UUID.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT request FROM hablare_receipts WHERE request > ? GROUP BY request
                    HAVING MAX(merged_at) < ? AND MIN(released) = 1 ORDER BY request LIMIT ?
                    """),
            arguments: [last?.databaseValue ?? Data().databaseValue, milliseconds(date), limit])
    }

    /// Removes the receipts of requests.
    static func removeReceipts(of requests: [UUID], in database: Database) throws -> Int {
        var removed = 0
        for request in requests {
            try database.execute(sql: "DELETE FROM hablare_receipts WHERE request = ?", arguments: [request])
            removed += database.changesCount
        }
        return removed
    }

    private static func arguments(_ key: MergeKey) -> StatementArguments {
        [key.requestID, key.target, key.row.stored]
    }

    static func milliseconds(_ date: Date) -> Int64 {
        Int64((date.timeIntervalSince1970 * 1000).rounded())
    }

    static func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
