import Foundation
import GRDB
import Hablare

/// The SQL statements on the tables of action queues. No other code uses these tables.
enum ActionTable {
    /// The content of a queue in the journal.
    struct Contents<Action: QueuedAction>: Sendable {
        let owner: ActionOwner
        let stored: [StoredAction<Action>]
        /// The number of the last action, even if the action has ended or cannot be read.
        let last: Int64
        /// The ids that the app chose, with the numbers of their actions.
        let names: [(name: ActionName, number: Int64)]
        /// The numbers of the rows that this version of the app cannot read.
        let unreadable: [Int64]
    }

    /// Makes the caller the owner of a queue, in place of the current owner. Returns the queue's content.
    ///
    /// - Parameter token: The new owner's random token.
    static func open<Action: QueuedAction>(
        _ queue: String, of type: Action.Type, token: Int64, in database: Database
    ) throws -> Contents<Action> {
        let isTaken = try self.token(of: queue, in: database) == token
        let owner = ActionOwner(queue: queue, token: isTaken ? token &+ 1 : token)
        try database.execute(
            sql: """
                INSERT INTO hablare_action_queues (queue, token) VALUES (?, ?)
                ON CONFLICT (queue) DO UPDATE SET token = excluded.token
                """, arguments: [queue, owner.token])
        var stored: [StoredAction<Action>] = []
        var unreadable: [Int64] = []
        var last: Int64 = 0
        let rows = try Row.fetchCursor(
            database, sql: "SELECT * FROM hablare_actions WHERE queue = ? ORDER BY number", arguments: [queue])
        while let row = try rows.next() {
            let number = Int64.fromDatabaseValue(row["number"]) ?? last
            last = max(last, number)
            if let action: StoredAction<Action> = read(row, number: number) {
                stored.append(action)
            } else {
                unreadable.append(number)
            }
        }
        let names = try names(of: queue, in: database)
        return Contents(
            owner: owner, stored: stored, last: max(last, names.last?.number ?? 0), names: names,
            unreadable: unreadable)
    }

    private static func names(
        of queue: String, in database: Database
    ) throws -> [(name: ActionName, number: Int64)] {
        let rows = try Row.fetchCursor(
            database, sql: "SELECT number, id, digest FROM hablare_action_ids WHERE queue = ? ORDER BY number",
            arguments: [queue])
        var names: [(name: ActionName, number: Int64)] = []
        while let row = try rows.next() {
            guard let number = Int64.fromDatabaseValue(row["number"]), let bytes = Data.fromDatabaseValue(row["id"]),
                let id = UUID(bytes: bytes), let digest = Data.fromDatabaseValue(row["digest"])
            else { continue }  // damaged: such an action could be appended twice
            names.append((ActionName(id: ActionID(rawValue: id), digest: digest), number))
        }
        return names
    }

    /// Writes an owner's changes to its queue.
    ///
    /// - Throws: ``ActionQueueError/Code/takenOver`` if the queue has a newer owner. ``ActionQueueError/Code/erased``
    ///   if the queue is not in the database.
    static func write(_ writes: [ActionWrite], of owner: ActionOwner, in database: Database) throws {
        try check(owner, in: database)
        for write in writes {
            switch write {
            case .insert(let record, let payload, let appendedAt):
                try insert(record, payload: payload, appendedAt: appendedAt, of: owner, in: database)
            case .update(let record): try update(record, of: owner, in: database)
            case .delete(let number):
                try database.cachedStatement(sql: "DELETE FROM hablare_actions WHERE queue = ? AND number = ?")
                    .execute(arguments: [owner.queue, number])
            case .name(let name, let number): try insert(name, number: number, of: owner, in: database)
            }
        }
    }

    /// Returns whether the journal records that this execution of an item was carried out.
    ///
    /// The result is reliable only if the committer marks an item as carried out in the same transaction as its
    /// changes.
    ///
    /// - Throws: ``ActionQueueError/Code/takenOver`` if the queue has a newer owner. ``ActionQueueError/Code/erased``
    ///   if the queue is not in the database.
    static func isApplied(_ origin: ActionOrigin, executions: Int, in database: Database) throws -> Bool {
        try check(origin.owner, in: database)
        let statement = try database.cachedStatement(
            sql: "SELECT turn FROM hablare_actions WHERE queue = ? AND number = ?")
        // A missing row belongs to an action that was carried out and is not needed any more.
        let current = try Int.fetchOne(statement, arguments: [origin.owner.queue, origin.number])
        return current.map { $0 > executions } ?? true
    }

    /// Marks an item as carried out.
    static func markApplied(_ origin: ActionOrigin, isCompensation: Bool, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                UPDATE hablare_actions SET standing = ?, turn = turn + 1, attempt = 0, failure = NULL
                WHERE queue = ? AND number = ?
                """
        ).execute(
            arguments: [
                (isCompensation ? ActionStanding.notApplied : .applied).code, origin.owner.queue, origin.number,
            ])
    }

    private static func check(_ owner: ActionOwner, in database: Database) throws {
        guard let token = try token(of: owner.queue, in: database) else { throw ActionQueueError.erased(owner.queue) }
        guard token == owner.token else { throw ActionQueueError.takenOver(owner.queue) }
    }

    private static func token(of queue: String, in database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT token FROM hablare_action_queues WHERE queue = ?"),
            arguments: [queue])
    }

    private static func insert(
        _ record: ActionRecord, payload: Data, appendedAt: Date, of owner: ActionOwner, in database: Database
    ) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO hablare_actions (wanted, position, remembered, turn, standing, attempt, given_up, failure,
                    queue, number, id, action, appended_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: state(record) + [
                owner.queue, record.number, record.id.rawValue.bytes, payload,
                Int64((appendedAt.timeIntervalSince1970 * 1000).rounded()),
            ])
    }

    private static func insert(
        _ name: ActionName, number: Int64, of owner: ActionOwner, in database: Database
    ) throws {
        try database.cachedStatement(
            sql: "INSERT INTO hablare_action_ids (queue, number, id, digest) VALUES (?, ?, ?, ?)"
        ).execute(arguments: [owner.queue, number, name.id.rawValue.bytes, name.digest])
        try database.cachedStatement(sql: "DELETE FROM hablare_action_ids WHERE queue = ? AND number <= ?")
            .execute(arguments: [owner.queue, number - ActionName.mostKept])
    }

    /// Updates an action's row.
    ///
    /// The transaction that carries an item out also marks it in this row. The owner may write the action before the
    /// owner learns of the mark. The row then counts one more execution than `record`. In this case, the update does
    /// not change the row's standing, attempts and failure.
    private static func update(_ record: ActionRecord, of owner: ActionOwner, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                UPDATE hablare_actions SET wanted = ?1, position = ?2, remembered = ?3,
                    standing = iif(turn > ?4, standing, ?5), attempt = iif(turn > ?4, attempt, ?6),
                    given_up = iif(turn > ?4, given_up, ?7), failure = iif(turn > ?4, failure, ?8), turn = max(turn, ?4)
                WHERE queue = ?9 AND number = ?10
                """
        ).execute(arguments: state(record) + [owner.queue, record.number])
    }

    private static func state(_ record: ActionRecord) -> StatementArguments {
        [
            record.isWanted, record.position, record.isRemembered, record.executions, record.standing.code,
            record.attempt,
            record.hasGivenUp, record.failure,
        ]
    }

    /// Returns an action from its row; `nil` if this version of the app cannot read the row.
    private static func read<Action: QueuedAction>(_ row: Row, number: Int64) -> StoredAction<Action>? {
        func value<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
            Value.fromDatabaseValue(row[column])
        }
        guard let bytes: Data = value("id"), let id = UUID(bytes: bytes), let payload: Data = value("action"),
            let appendedAt: Int64 = value("appended_at"), let isWanted: Bool = value("wanted"),
            let code: Int64 = value("standing"), let standing = ActionStanding(code: code),
            let executions: Int = value("turn"), let attempt: Int = value("attempt"),
            let position: Int64 = value("position"),
            let isRemembered: Bool = value("remembered"), let hasGivenUp: Bool = value("given_up"),
            let action: Action = decode(payload)
        else { return nil }
        return StoredAction(
            record: ActionRecord(
                id: ActionID(rawValue: id), number: number, isWanted: isWanted, standing: standing,
                executions: executions,
                attempt: attempt, position: position, isRemembered: isRemembered, failure: value("failure"),
                hasGivenUp: hasGivenUp),
            action: action, appendedAt: Date(timeIntervalSince1970: Double(appendedAt) / 1000))
    }

    private static func decode<Action: QueuedAction>(_ payload: Data) -> Action? {
        do {
            return try JSONDecoder().decode(Action.self, from: payload)
        } catch {
            return nil  // the caller counts the row, and keeps it
        }
    }
}
