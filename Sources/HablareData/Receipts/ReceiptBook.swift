import Foundation
import GRDB

/// The SQL statements on receipts and promises. No other code uses these tables.
enum ReceiptBook {
    /// Writes a receipt, unless there is one.
    ///
    /// - Returns: `nil` if the receipt was written; otherwise the date of the existing receipt.
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

    /// Returns the date of a merge; `nil` if it was not done.
    static func date(of key: MergeKey, in database: Database) throws -> Date? {
        let statement = try database.cachedStatement(
            sql: "SELECT merged_at FROM hablare_receipts WHERE request = ? AND target = ? AND row = ?")
        return try Int64.fetchOne(statement, arguments: arguments(key)).map(Self.date)
    }

    /// The result of a request for a promise.
    enum Promised: Sendable, Hashable {
        /// This call made the promise.
        case now
        /// An earlier call made the promise.
        case before
        /// The merge is already done, so there is nothing to promise.
        case merged(Date)
    }

    /// Records the promise of a merge. Has no effect if the merge is already promised or done.
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

    /// Removes a promise that was fulfilled or withdrawn.
    ///
    /// - Returns: Whether the promise existed.
    @discardableResult
    static func forget(_ key: MergeKey, in database: Database) throws -> Bool {
        try database.cachedStatement(
            sql: "DELETE FROM hablare_promises WHERE request = ? AND target = ? AND row = ?"
        ).execute(arguments: arguments(key))
        return database.changesCount > 0
    }

    /// Records the reason why a promise could not be fulfilled yet.
    static func note(_ failure: String, of key: MergeKey, in database: Database) throws {
        try database.cachedStatement(
            sql: "UPDATE hablare_promises SET failure = ? WHERE request = ? AND target = ? AND row = ?"
        ).execute(arguments: [failure] + arguments(key))
    }

    /// The promises in the database.
    struct Promises: Sendable {
        var readable: [MergePromise] = []
        /// The number of rows that this library cannot read, because something else wrote them. The rows stay, and the
        /// engine keeps the responses that they name.
        var damaged = 0
    }

    /// Returns the promises of one request, or of all requests. The oldest requests are first.
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

    /// Returns the promise in a row; `nil` if the row is damaged.
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

    /// Returns requests with receipts that were not reported to the engine, in the order of their UUIDs.
    static func unreleased(after last: UUID?, limit: Int, in database: Database) throws -> [UUID] {
        try UUID.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT DISTINCT request FROM hablare_receipts WHERE released = 0 AND request > ? ORDER BY request LIMIT ?
                    """), arguments: [last?.databaseValue ?? Data().databaseValue, limit])
    }

    /// Returns the requests that have no promised merge.
    static func unpromised(_ requests: [UUID], in database: Database) throws -> [UUID] {
        try requests.filter { request in
            let statement = try database.cachedStatement(
                sql: "SELECT EXISTS (SELECT 1 FROM hablare_promises WHERE request = ?)")
            return try Bool.fetchOne(statement, arguments: [request]) == false
        }
    }

    /// Marks requests as reported to the engine.
    static func released(_ requests: [UUID], in database: Database) throws {
        for request in requests {
            try database.cachedStatement(
                sql: "UPDATE hablare_receipts SET released = 1 WHERE request = ? AND released = 0"
            ).execute(arguments: [request])
        }
    }

    /// Returns requests whose receipts are all older than a date and reported to the engine, in the order of their
    /// UUIDs.
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

    /// Removes the receipts of requests, and returns their number.
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
