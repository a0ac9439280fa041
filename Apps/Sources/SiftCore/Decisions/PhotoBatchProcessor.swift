public import Foundation
import GRDB
public import Hablare
public import HablareData
public import HablarePersistence
public import Logging
public import ServiceLifecycle

/// Records decisions before the next photo is shown, and carries them out in batches: at ten, or half a second after
/// the last, or after a review.
///
/// A decision is on disk when ``decide(_:session:)`` returns. Every decision that stands can be undone, and every
/// undone one redone, also after a restart, as long as the trash holds the photo. One processor serves all libraries of
/// a database. Run it in a `ServiceGroup`.
public final class PhotoBatchProcessor: Service {
    /// A decision that was refused for good.
    public struct Refusal: Sendable, Hashable {
        /// The action that was refused.
        public let action: PhotoAction
        /// The reason.
        public let error: PhotoProcessingError
    }

    /// A sidecar that cannot be written. The decision stands.
    public struct SidecarFailure: Sendable, Hashable {
        /// The action whose mark the sidecar does not have.
        public let action: PhotoAction
        /// The reason.
        public let error: PhotoProcessingError
    }

    private let queue: DurableActionQueue<PhotoCommitter>
    private let decisions = DecisionStore()
    private let date: @Sendable () -> Date
    private let activity: PersonActivity
    private let refusalFeed: Feed<Refusal>
    private let sidecarFailureFeed: Feed<SidecarFailure>

    /// Opens the queue.
    ///
    /// - Parameters:
    ///   - database: Sift's database.
    ///   - trash: The trash.
    ///   - configuration: When the queue commits. Default: at 10, or 500 ms after the last.
    ///   - activity: Where decisions are noted as a person's activity. Default: not noted.
    ///   - seams: The clock, dates and threads. Default: those of the system.
    ///   - logger: The logger. Default: `sift.decisions`.
    /// - Throws: `ActionQueueError`.
    public init(
        database: AppDatabase, trash: Trash, configuration: ActionQueueConfiguration = .sift,
        activity: PersonActivity = PersonActivity(), seams: EngineSeams = EngineSeams(),
        logger: Logger = Logger(label: "sift.decisions")
    ) async throws {
        date = seams.date
        self.activity = activity
        let feed = Feed<Refusal>()
        refusalFeed = feed
        let sidecarFeed = Feed<SidecarFailure>()
        sidecarFailureFeed = sidecarFeed
        let committer = PhotoCommitter(database: database, trash: trash) { action, error in
            logger.warning(
                "A decision was refused",
                metadata: ["photo": "\(action.photo)", "kind": "\(action.kind)", "code": "\(error.code.rawValue)"])
            feed.send(Refusal(action: action, error: error))
        } onSidecarFailure: { action, error in
            logger.warning(
                "A sidecar was not written",
                metadata: [
                    "photo": "\(action.photo)", "kind": "\(action.kind)", "code": "\(error.code.rawValue)",
                    "cause": "\(error.cause ?? "none")",
                ])
            sidecarFeed.send(SidecarFailure(action: action, error: error))
        }
        queue = try await DurableActionQueue(
            "photos", in: database.writer, committer: committer, configuration: configuration, seams: seams,
            logger: logger)
    }

    /// Carries decisions out until a graceful shutdown. Call it once.
    public func run() async throws { try await queue.run() }

    // MARK: Deciding

    /// Records a decision. When the method returns, it is on disk and will be carried out unless it is undone.
    ///
    /// - Throws: ``PhotoProcessingError``: `photoGone`, `photoChanged`, `alreadyDecided`, `unknownAction`, `notSaved`;
    ///   `busy` if another Sift has taken over. Nothing was decided then.
    @discardableResult
    public func decide(_ request: DecisionRequest, session: Int64) async throws -> Decision {
        let decisions = try await decide([request], session: session)
        guard let decision = decisions.first else { throw PhotoProcessingError(.processingFailed) }
        return decision
    }

    /// Records several decisions as one step: all of them or none. They are undone and redone together. For example,
    /// "keep this photo of the burst, and trash the rest".
    ///
    /// - Returns: The decisions, in the order of the requests.
    /// - Throws: The errors of the method for one request.
    @discardableResult
    public func decide(_ requests: [DecisionRequest], session: Int64) async throws -> [Decision] {
        let now = date()
        return try await change { [decisions] db, actions in
            try requests.map { request in
                if let known = try decisions.decision(request.id, in: db) { return known }
                let decision = try decisions.record(
                    request, session: session, step: requests[0].id, at: now, in: db)
                try Self.append(decision, to: &actions)
                return decision
            }
        }
    }

    /// Undoes the last step that stands.
    ///
    /// - Parameter command: The id of the person's command. The same id twice undoes one step, also after a restart.
    ///   Default: none.
    /// - Returns: The decisions that were undone, the last one first. One, unless several were made as one step; none if
    ///   the command was carried out before.
    /// - Throws: ``PhotoProcessingError`` with code `nothingToUndo` or `notSaved`. Nothing was undone then.
    @discardableResult
    public func undo(of library: LibraryID, command: UUID? = nil) async throws -> [Decision] {
        let now = date()
        return try await change { [decisions] db, actions in
            guard try decisions.begin(command, at: now, in: db) else { return [] }
            let ids = try decisions.lastStep(of: library, in: db)
            guard !ids.isEmpty else { throw PhotoProcessingError(.nothingToUndo) }
            return try ids.map { try Self.undo($0, of: library, decisions, db, &actions) }
        }
    }

    /// Undoes one decision of the history.
    ///
    /// - Returns: The decision.
    /// - Throws: ``PhotoProcessingError`` with code `nothingToUndo` if it does not stand, or `notSaved`.
    @discardableResult
    public func undo(_ id: UUID, of library: LibraryID) async throws -> Decision {
        try await change { [decisions] db, actions in try Self.undo(id, of: library, decisions, db, &actions) }
    }

    private static func undo(
        _ id: UUID, of library: LibraryID, _ decisions: DecisionStore, _ db: Database, _ actions: inout Actions
    ) throws -> Decision {
        let (decision, reverting) = try decisions.undo(id, of: library, in: db)
        guard !reverting.isNothing else { return decision }
        var forward = decision.action
        forward.execution = reverting.execution - 1
        do {
            // Not carried out yet: it never will be.
            try actions.withdraw(forward.actionID)
            try decisions.settle(reverting, in: db)
            try SidecarJournal().forget([decision.id], in: db)
        } catch let error as ActionQueueError where error.code == .notPending {
            try actions.append(reverting, id: reverting.actionID)
        }
        return decision
    }

    /// Carries the step that was undone last out again, if no decision was made since.
    ///
    /// - Parameter command: The id of the person's command. The same id twice redoes one step, also after a restart.
    ///   Default: none.
    /// - Returns: The decisions that stand again, the first one first; none if the command was carried out before.
    /// - Throws: ``PhotoProcessingError`` with code `nothingToUndo` or `notSaved`. Nothing was redone then.
    @discardableResult
    public func redo(of library: LibraryID, command: UUID? = nil) async throws -> [Decision] {
        let now = date()
        return try await change { [decisions] db, actions in
            guard try decisions.begin(command, at: now, in: db) else { return [] }
            let ids = try decisions.nextStep(of: library, in: db)
            guard !ids.isEmpty else { throw PhotoProcessingError(.nothingToUndo) }
            return try ids.map { try Self.redo($0, of: library, decisions, db, &actions) }
        }
    }

    /// Carries one undone decision of the history out again.
    ///
    /// - Returns: The decision.
    /// - Throws: ``PhotoProcessingError`` with code `nothingToUndo` if it was not undone, or `notSaved`.
    @discardableResult
    public func redo(_ id: UUID, of library: LibraryID) async throws -> Decision {
        try await change { [decisions] db, actions in try Self.redo(id, of: library, decisions, db, &actions) }
    }

    private static func redo(
        _ id: UUID, of library: LibraryID, _ decisions: DecisionStore, _ db: Database, _ actions: inout Actions
    ) throws -> Decision {
        let decision = try decisions.redo(id, of: library, in: db)
        try append(decision, to: &actions)
        return decision
    }

    private static func append(_ decision: Decision, to actions: inout Actions) throws {
        if !decision.isSettled { try actions.append(decision.action, id: decision.action.actionID) }
    }

    private typealias Actions = ActionTransaction<PhotoAction>

    /// Changes decisions and the queue's actions in one transaction, so that a crash leaves both or none.
    private func change<R: Sendable>(
        _ body: @escaping @Sendable (Database, inout Actions) throws -> R
    ) async throws -> R {
        activity.note()
        do {
            return try await queue.transaction(body)
        } catch let error as ActionQueueError where error.code == .takenOver {
            throw PhotoProcessingError(.busy, cause: "\(error.code)")
        } catch let error as ActionQueueError where [.diskFull, .databaseFailed].contains(error.code) {
            throw PhotoProcessingError(.notSaved, cause: "\(error.code)")
        } catch let error as DatabaseError {
            throw PhotoProcessingError(.notSaved, cause: "\(error.resultCode)")
        }
    }

    // MARK: Committing

    /// Starts to carry out all waiting decisions. With ``HablareData/ActionQueueConfiguration/Mode/review`` this is the
    /// person's confirmation.
    public func commit() async throws { try await queue.commit() }

    /// Sets whether decisions wait until ``commit()``. Decisions that wait when this is switched off are carried out as
    /// if they were new.
    public func setReview(_ waitsForReview: Bool) async throws {
        try await queue.setMode(waitsForReview ? .review : .automatic)
    }

    /// Carries out all waiting decisions, and waits until each was tried once.
    @discardableResult
    public func flush() async throws -> ActionQueueSnapshot { try await queue.flush() }

    /// Tries the failed decisions again, for example after a volume was connected.
    @discardableResult
    public func retryFailed() async throws -> Int { try await queue.retryFailed() }

    /// The queue's state.
    public var snapshot: ActionQueueSnapshot { queue.snapshot }
    /// The queue's state, now and after every change. Ends when the reader's task ends.
    public var updates: AsyncStream<ActionQueueSnapshot> { queue.updates }
    /// The decisions that wait to be carried out, for a review.
    public var pendingActions: [PendingAction<PhotoAction>] { queue.pendingActions }
    /// The decisions that are refused from now on. Each reader gets each of them.
    public var refusals: AsyncStream<Refusal> { refusalFeed.elements() }
    /// The sidecars that cannot be written from now on, each folder or photo once. Each reader gets each of them.
    public var sidecarFailures: AsyncStream<SidecarFailure> { sidecarFailureFeed.elements() }
}

extension ActionQueueConfiguration {
    /// Sift's settings: commits at 10 decisions or 500 ms after the last. The queue's own undo is not used, because
    /// Sift's decisions can be undone without a limit.
    public static let sift = ActionQueueConfiguration(count: 10, quietTime: .milliseconds(500), undoDepth: 0)
    /// Sift's settings with a review: nothing is carried out before the person confirms it.
    public static let siftWithReview = ActionQueueConfiguration(mode: .review, undoDepth: 0)
}
