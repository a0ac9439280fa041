public import Foundation
import GRDB
public import Hablare
import HablareData
public import HablarePersistence
public import Logging
import Synchronization

/// The person's marks and plans. Every change is one transaction: the rows, the step of the undo history, and the id of
/// the command are on disk together when a method returns.
///
/// The same command carried out twice is one act, also after a restart. Undo and redo work across restarts, for the last
/// ``undoDepth`` changes. Open one object for each database.
public final class PersonalData: Sendable {
    /// The number of changes that can be undone: 200.
    public static let undoDepth = 200

    typealias Queue = DurableActionQueue<TransactionalCommitter<PersonalAction>>
    typealias Actions = ActionTransaction<PersonalAction>

    /// The database.
    public let database: AppDatabase
    let seams: EngineSeams
    private let logger: Logger
    private let queue: Mutex<Queue>

    /// Opens the person's data. Another object that has opened the same data can no longer change it.
    ///
    /// - Parameters:
    ///   - database: Lectern's database.
    ///   - seams: The clock, dates and UUIDs. Default: those of the system.
    ///   - logger: The logger. Default: `lectern.personal`.
    /// - Throws: ``PersonalDataError``.
    public init(
        database: AppDatabase, seams: EngineSeams = EngineSeams(), logger: Logger = Logger(label: "lectern.personal")
    ) async throws {
        self.database = database
        self.seams = seams
        self.logger = logger
        do {
            queue = Mutex(try await Self.open(database, seams, logger))
            try await database.write { try NoteIndex.addMissing(in: $0) }
        } catch {
            throw PersonalDataError.forCaller(error)
        }
    }

    private static func open(_ database: AppDatabase, _ seams: EngineSeams, _ logger: Logger) async throws -> Queue {
        try await DurableActionQueue(
            "personal", in: database.writer, configuration: ActionQueueConfiguration(undoDepth: undoDepth),
            seams: seams, logger: logger,
            // Never called: the transaction that appends an action carries it out.
            applying: { _, _ in })
    }

    /// Opens the queue again after its rows were erased.
    func reopen() async throws {
        let new = try await Self.open(database, seams, logger)
        queue.withLock { $0 = new }
    }

    /// The current time, to the millisecond.
    var now: Moment { Moment(seams.date()) }

    // MARK: Undo

    /// A step that was undone or redone.
    public struct Step: Sendable, Hashable {
        /// The command that made the change; `nil` if the undo or redo itself was carried out before.
        public var command: UUID?
        /// The name of the change, such as `highlight`; empty if the undo or redo itself was carried out before.
        public var name: String
        /// Whether all rows were put back. False if an import has changed some of them since; these stay as they are.
        public var isComplete: Bool
    }

    /// Undoes the last change.
    ///
    /// - Parameter command: The id of the person's command. The same id twice undoes one change.
    /// - Throws: ``PersonalDataError``: `nothingToUndo`, `diskFull`, `takenOver`, `databaseFailed`.
    @discardableResult
    public func undo(command: UUID) async throws -> Step {
        try await step(command, "undo") { actions, db in
            let action = try actions.undo().action
            return (action, try action.changes.reversed().map { try $0.revert(in: db) }.allSatisfy { $0 })
        }
    }

    /// Makes the change again that was undone last, if nothing was changed since.
    ///
    /// - Parameter command: The id of the person's command. The same id twice redoes one change.
    /// - Throws: ``PersonalDataError``: `nothingToRedo`, `diskFull`, `takenOver`, `databaseFailed`.
    @discardableResult
    public func redo(command: UUID) async throws -> Step {
        try await step(command, "redo") { actions, db in
            let action = try actions.redo().action
            return (action, try action.changes.map { try $0.repeated(in: db) }.allSatisfy { $0 })
        }
    }

    private func step(
        _ command: UUID, _ name: String,
        _ body: @escaping @Sendable (inout Actions, Database) throws -> (PersonalAction, Bool)
    ) async throws -> Step {
        let now = now
        return try await transaction { db, actions in
            guard try CommandBook.begin(command, digest: name, at: now, in: db) else {
                return Step(command: nil, name: "", isComplete: true)
            }
            let (action, isComplete) = try body(&actions, db)
            return Step(command: action.command, name: action.name, isComplete: isComplete)
        }
    }

    /// The numbers of changes that can be undone and redone.
    public var depths: (undo: Int, redo: Int) {
        let snapshot = queue.withLock { $0 }.snapshot
        return (snapshot.undoCount, snapshot.redoCount)
    }

    // MARK: Changing

    /// Carries a command out, once.
    ///
    /// - Parameters:
    ///   - command: The id of the command.
    ///   - digest: A text that differs for a different command.
    ///   - name: The name of the change for menus.
    ///   - body: A closure that changes rows with the recorder.
    /// - Returns: The result; `nil` if the command was carried out before.
    func change<R: Sendable>(
        _ command: UUID, digest: String, name: String,
        _ body: @escaping @Sendable (inout RowRecorder, Database) throws -> R
    ) async throws -> R? {
        let now = now
        return try await transaction { db, actions in
            guard try CommandBook.begin(command, digest: digest, at: now, in: db) else { return nil }
            var recorder = RowRecorder()
            let result = try body(&recorder, db)
            if !recorder.changes.isEmpty {
                try actions.append(PersonalAction(command: command, name: name, changes: recorder.changes))
            }
            return result
        }
    }

    private func transaction<R: Sendable>(
        _ body: @escaping @Sendable (Database, inout Actions) throws -> R
    ) async throws -> R {
        do {
            return try await queue.withLock { $0 }.transaction(body)
        } catch {
            throw PersonalDataError.forCaller(error)
        }
    }
}
