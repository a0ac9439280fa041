import Foundation
import Hablare

extension DurableActionQueue {
    // MARK: Append, undo, redo

    /// Appends an action. On return the action is on disk, and is carried out unless it is undone first.
    ///
    /// After an append, undone actions can no longer be redone. Actions keep the order of the calls. Not cancellable,
    /// because an action that was handed to the journal may reach the disk at any moment.
    ///
    /// - Returns: The action's id.
    /// - Throws: ``ActionQueueError``: `notEncodable`, `tooLarge` (more than 1 MiB of JSON), `diskFull`,
    ///   `databaseFailed`, `takenOver`, `erased`. In each case nothing was appended.
    @discardableResult
    public func append(_ action: Action) async throws -> ActionID {
        let new = try newAction(action)
        let now = clock.now
        try await ask { try $0.appended(new, now: now) }
        return new.id
    }

    /// Appends an action once, under an id that the caller chooses. A second append under the same id has no effect.
    ///
    /// A caller cannot know whether an action was appended if its process ended or the call failed. It then appends the
    /// action again under the same id. The queue remembers the ids of its last 10,000 actions, even after they were
    /// carried out, undone or dropped. Otherwise this method behaves as the one without an id.
    ///
    /// - Parameters:
    ///   - action: The action. Its JSON must be the same each time, so the encoder sorts the keys.
    ///   - id: The action's permanent id, derived from the operation or stored before the call.
    /// - Throws: The errors of the method without an id; `conflict` if a different action was appended under the id.
    public func append(_ action: Action, id: ActionID) async throws {
        var new = try newAction(action, id: id)
        new.name = ActionName(id, of: new.payload)
        let now = clock.now
        try await ask { [new] in try $0.appended(new, now: now) }
    }

    /// Appends several actions in one transaction. On return all of them are on disk.
    ///
    /// Each action is undone separately. Otherwise this method behaves as the one for a single action.
    ///
    /// - Returns: The actions' ids, in their order.
    /// - Throws: The errors of the method for a single action. In each case none was appended.
    @discardableResult
    public func append(_ actions: [Action]) async throws -> [ActionID] {
        guard !actions.isEmpty else { return [] }
        let new = try actions.map { try newAction($0) }
        let now = clock.now
        try await ask { core in
            for new in new { try core.appended(new, now: now) }
        }
        return new.map(\.id)
    }

    /// Undoes the last action that is not undone yet. On return the undo is on disk.
    ///
    /// If the action was not carried out yet, it never will be. If it was carried out, its compensation follows. If its
    /// commit is in flight, the commit's outcome decides. Not cancellable.
    ///
    /// - Returns: The action that was undone, and the effect of the undo.
    /// - Throws: ``ActionQueueError``: `nothingToUndo`; `cannotBeUndone` if the action was or may have been carried out
    ///   and has no compensation; `diskFull`, `databaseFailed`, `takenOver`, `erased`. In each case nothing was undone.
    @discardableResult
    public func undo() async throws -> ActionChange<Action> {
        let now = clock.now
        return try await ask { try $0.undoAsked(now: now) }
    }

    /// Redoes the action that was undone last. On return the redo is on disk.
    ///
    /// If the action's compensation was not carried out yet, it never will be. Otherwise the action is carried out
    /// again. Not cancellable.
    ///
    /// - Returns: The action that was redone, and the effect of the redo.
    /// - Throws: ``ActionQueueError``: `nothingToRedo`, `diskFull`, `databaseFailed`, `takenOver`, `erased`. In each
    ///   case nothing was redone.
    @discardableResult
    public func redo() async throws -> ActionChange<Action> {
        let now = clock.now
        return try await ask { try $0.redoAsked(now: now) }
    }

    // MARK: Committing

    /// Starts a commit of all waiting actions, including those that wait for a retry, and does not wait for the
    /// outcome. In ``ActionQueueConfiguration/Mode/review``, this call is the user's confirmation.
    ///
    /// If the queue does not run, the actions are committed as soon as ``run()`` is called in this process. Not
    /// cancellable.
    ///
    /// - Throws: ``ActionQueueError``: `diskFull`, `databaseFailed`, `takenOver`, `erased`.
    public func commit() async throws {
        try await ask { _ = $0.commitAsked() }
    }

    /// Commits all waiting actions, and waits until each was tried once. Call it when an app moves to the background.
    ///
    /// An action that failed and is retried later still counts as ``ActionQueueSnapshot/pending``. So does an action
    /// that waits behind it because it has the same subject: it is not tried yet.
    ///
    /// The call does not wait for the queue to run, because the queue might never run. A ``run()`` that was just
    /// started may not have begun yet. In that case first wait in ``updates`` until ``ActionQueueSnapshot/isRunning``
    /// is true.
    ///
    /// Cancelling the task ends the wait, not the commit.
    ///
    /// - Returns: The queue's state afterwards.
    /// - Throws: ``ActionQueueError``: `notRunning` if the queue does not run, or stops meanwhile; `diskFull` or
    ///   `databaseFailed` if the outcomes cannot be written now; `takenOver`, `erased`. `CancellationError`.
    @discardableResult
    public func flush() async throws -> ActionQueueSnapshot {
        guard quietly({ $0.isRunning || $0.end != nil }) else { throw ActionQueueError.notRunning }
        let position = try await ask { $0.commitAsked() }
        await wait(isCancellable: true) { state in
            !state.isRunning || state.journalFailure != nil
                || (state.core.isRunning && state.core.isFlushed(upTo: position))
        }
        try Task.checkCancellation()
        return try quietly { state -> Result<ActionQueueSnapshot, ActionQueueError> in
            if let failure = state.end ?? state.journalFailure { return .failure(failure) }
            return state.isRunning ? .success(state.snapshot) : .failure(.notRunning)
        }.get()
    }

    /// Stops handing over actions until ``resume()``, for example while there is no network. Commits in flight
    /// continue. Append, undo and redo work as always. A pause does not survive a restart.
    public func pause() {
        apply { $0.isPaused = true }
        enter(.looked)
    }

    /// Ends ``pause()``.
    public func resume() {
        apply { $0.isPaused = false }
        enter(.looked)
    }

    // MARK: Failed actions

    /// Retries all permanently failed actions, each with its full number of attempts. Not cancellable.
    ///
    /// - Returns: The number of retried actions.
    /// - Throws: ``ActionQueueError``: `diskFull`, `databaseFailed`, `takenOver`, `erased`.
    @discardableResult
    public func retryFailed() async throws -> Int {
        try await ask { $0.retryAsked() }
    }

    /// Discards all permanently failed actions. Their effects stay as they are, and these actions can neither be undone
    /// nor redone. Not cancellable.
    ///
    /// - Returns: The number of discarded actions.
    /// - Throws: ``ActionQueueError``: `diskFull`, `databaseFailed`, `takenOver`, `erased`.
    @discardableResult
    public func discardFailed() async throws -> Int {
        try await ask { $0.discardAsked() }
    }

    /// Retries one permanently failed action, with its full number of attempts. Not cancellable.
    ///
    /// - Throws: ``ActionQueueError``: `notPending` if the action has not failed; `diskFull`, `databaseFailed`,
    ///   `takenOver`, `erased`.
    public func retry(_ id: ActionID) async throws {
        try await ask { try $0.retryAsked(id) }
    }

    /// Discards one permanently failed action. Its effect stays as it is, and the action can neither be undone nor
    /// redone. Not cancellable.
    ///
    /// - Throws: ``ActionQueueError``: `notPending` if the action has not failed; `diskFull`, `databaseFailed`,
    ///   `takenOver`, `erased`.
    public func discard(_ id: ActionID) async throws {
        try await ask { try $0.discardAsked(id) }
    }

    /// Drops one action that was not carried out, regardless of actions appended after it. The action is never carried
    /// out, and can neither be undone nor redone. Not cancellable.
    ///
    /// - Throws: ``ActionQueueError``: `notPending` if the action is being carried out, was or may have been carried
    ///   out, or is already undone; `diskFull`, `databaseFailed`, `takenOver`, `erased`.
    public func withdraw(_ id: ActionID) async throws {
        try await ask { try $0.withdrawAsked(id) }
    }

    /// Removes the rows that this version of the app cannot read. Versions that could read them lose them, too. Not
    /// cancellable.
    ///
    /// - Returns: The number of removed rows.
    /// - Throws: ``ActionQueueError``: `diskFull`, `databaseFailed`, `takenOver`, `erased`.
    @discardableResult
    public func discardUnreadable() async throws -> Int {
        try await ask { $0.discardUnreadableAsked() }
    }

    // MARK: State

    /// The queue's current state.
    public var snapshot: ActionQueueSnapshot { quietly { $0.snapshot } }

    /// The queue's state, now and after every change, for as long as the queue lives. A slow reader may miss
    /// intermediate states, never the last one. The stream ends with the reader's task.
    public var updates: AsyncStream<ActionQueueSnapshot> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ActionQueueSnapshot.self, bufferingPolicy: .bufferingNewest(1))
        let number = quietly { state in
            let number = state.nextNumber()
            state.readers[number] = continuation
            continuation.yield(state.snapshot)
            return number
        }
        continuation.onTermination = { [weak self] _ in self?.quietly { $0.readers[number] = nil } }
        return stream
    }

    /// The actions to be carried out or reverted, in their order, followed by the failed ones. A review shows this
    /// list.
    public var pendingActions: [PendingAction<Action>] { quietly { $0.core }.pendingActions }

    // MARK: Requests to the core

    /// Encodes an action. It runs on the caller's actor, so that actions keep the order in which a view appended them.
    private func newAction(_ action: Action, id: ActionID? = nil) throws -> NewAction<Action> {
        let payload: Data
        do {
            let encoder = JSONEncoder()
            if id != nil { encoder.outputFormatting = .sortedKeys }
            payload = try encoder.encode(action)
        } catch {
            throw ActionQueueError.notEncodable(error)
        }
        guard payload.count <= Self.largestAction else {
            throw ActionQueueError.tooLarge(payload.count, limit: Self.largestAction)
        }
        return NewAction(
            id: id ?? ActionID(rawValue: makeID()), action: action, payload: payload, appendedAt: date())
    }

    /// Sends the core a request, and waits until its effect is on disk. If `work` throws, it has changed nothing.
    private func ask<R: Sendable>(
        _ work: @escaping @Sendable (inout ActionQueueCore<Action>) throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            enter(
                ActionQueueEvent(
                    handle: { core in
                        let result = Result { try work(&core) }
                        return { continuation.resume(with: result) }
                    }, refuse: { continuation.resume(throwing: $0) }))
        }
    }
}
