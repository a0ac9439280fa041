import Foundation
public import GRDB
import Hablare

extension DurableActionQueue {
    // MARK: Append, undo, redo

    /// Appends an action. When the method returns, the action is on disk. The queue carries it out later, unless it is
    /// undone first.
    ///
    /// After an append, undone actions can no longer be redone. The queue keeps the order of the calls. The method
    /// cannot be cancelled, because an action that was passed to the journal may reach the disk at any moment.
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

    /// Appends an action under an id that the caller chooses. If an action was already appended under this id, nothing
    /// happens.
    ///
    /// Use this method if you may have to repeat a call: if the process ended or the call failed, you cannot know
    /// whether the action was appended. Then append it again under the same id. The queue keeps the ids of its last
    /// 10,000 actions, even after the actions were carried out, undone or dropped. Otherwise, this method behaves like
    /// the method without an id.
    ///
    /// - Parameters:
    ///   - action: The action. Its JSON must be the same in each call, so the encoder sorts the keys.
    ///   - id: The action's permanent id. Derive the id from the operation, or store the id before the call.
    /// - Throws: The errors of the method without an id. `conflict` if a different action was appended under the id.
    public func append(_ action: Action, id: ActionID) async throws {
        let new = try newAction(action, id: id)
        let now = clock.now
        try await ask { try $0.appended(new, now: now) }
    }

    /// Appends several actions in one transaction. When the method returns, all actions are on disk.
    ///
    /// Each undo reverts only one action. Otherwise, this method behaves like the method for a single action.
    ///
    /// - Returns: The actions' ids, in the order of the actions.
    /// - Throws: The errors of the method for a single action. In each case no action was appended.
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

    /// Changes the app's own tables and appends or withdraws actions, in one transaction of the queue's database. When
    /// the method returns, all of it is on disk. After a crash, either all of it is on disk or nothing.
    ///
    /// ```swift
    /// try await queue.transaction { database, actions in
    ///     try database.execute(sql: "UPDATE photo SET decision = 'trash' WHERE id = ?", arguments: [photo])
    ///     try actions.append(PhotoSwipe(kind: .trash, photo: photo))
    /// }
    /// ```
    ///
    /// Transactions run in the order of the calls, also relative to `append`, `undo` and `redo`. Several calls may share
    /// one transaction, and each of them has its own outcome. The method cannot be cancelled.
    ///
    /// - Parameter body: A closure that makes the changes. It runs on the queue's own thread. It may run again after its
    ///   transaction was rolled back, so it must change only the given database and actions. It must not call the queue
    ///   or write with another connection, for which it would wait.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, unchanged. ``ActionQueueError``: `diskFull`, `databaseFailed`, `takenOver`,
    ///   `erased`. In each case nothing was changed.
    @discardableResult
    public func transaction<R: Sendable>(
        _ body: @escaping @Sendable (Database, inout ActionTransaction<Action>) throws -> R
    ) async throws -> R {
        let (now, makeID, date) = (clock.now, makeID, date)
        return try await withCheckedThrowingContinuation { continuation in
            var event = ActionQueueEvent<Action>(handle: { _ in {} }, refuse: { continuation.resume(throwing: $0) })
            event.change = { core, database in
                var actions = ActionTransaction(core: core, now: now, makeID: makeID, date: date)
                let result = try body(database, &actions)
                core = actions.core
                return { continuation.resume(returning: result) }
            }
            enter(event)
        }
    }

    /// Undoes the last action that is not undone yet. When the method returns, the undo is on disk.
    ///
    /// If the action was not carried out yet, the queue will not carry it out. If the action was carried out, the queue
    /// carries out its compensation. If its commit is in flight, the outcome of the commit decides between these two
    /// cases. The method cannot be cancelled.
    ///
    /// - Returns: The action that was undone, and the work that follows from the undo.
    /// - Throws: ``ActionQueueError``: `nothingToUndo`; `cannotBeUndone` if the action has no compensation and was or
    ///   may have been carried out; `diskFull`, `databaseFailed`, `takenOver`, `erased`. In each case nothing was
    ///   undone.
    @discardableResult
    public func undo() async throws -> ActionChange<Action> {
        let now = clock.now
        return try await ask { try $0.undoAsked(now: now) }
    }

    /// Redoes the action that was undone last. When the method returns, the redo is on disk.
    ///
    /// If the action's compensation was not carried out yet, the queue will not carry it out. Otherwise the queue
    /// carries the action out again. The method cannot be cancelled.
    ///
    /// - Returns: The action that was redone, and the work that follows from the redo.
    /// - Throws: ``ActionQueueError``: `nothingToRedo`, `diskFull`, `databaseFailed`, `takenOver`, `erased`. In each
    ///   case nothing was redone.
    @discardableResult
    public func redo() async throws -> ActionChange<Action> {
        let now = clock.now
        return try await ask { try $0.redoAsked(now: now) }
    }

    // MARK: Committing

    /// Starts a commit of all waiting actions, including actions that wait for a retry. Does not wait for the outcome.
    /// In ``ActionQueueConfiguration/Mode/review``, this call confirms the actions on behalf of the user.
    ///
    /// If the queue is not running, the actions are committed as soon as ``run()`` is called in this process. The
    /// method cannot be cancelled.
    ///
    /// - Throws: ``ActionQueueError``: `diskFull`, `databaseFailed`, `takenOver`, `erased`.
    public func commit() async throws {
        try await ask { _ = $0.commitAsked() }
    }

    /// Commits all waiting actions, and waits until each of them was tried once. Call this method when the app moves to
    /// the background.
    ///
    /// When the method returns, these actions still count as ``ActionQueueSnapshot/pending``:
    ///
    /// - an action that failed and will be retried;
    /// - an action that was not tried, because an action of the same subject failed before it.
    ///
    /// The method throws `notRunning` if the queue is not running, because the queue might never run. After you have
    /// started ``run()``, the queue may take a moment to begin. To be sure, first wait in ``updates`` until
    /// ``ActionQueueSnapshot/isRunning`` is true.
    ///
    /// Cancelling the task ends the wait. It does not stop the commit.
    ///
    /// - Returns: The queue's state after the commits.
    /// - Throws: ``ActionQueueError``: `notRunning` if the queue is not running, or stops during the call; `diskFull`
    ///   or `databaseFailed` if the outcomes cannot be written now; `takenOver`, `erased`. `CancellationError` if the
    ///   task is cancelled.
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

    /// Changes the condition that starts a commit, for example when the user changes a setting.
    ///
    /// After a change to ``ActionQueueConfiguration/Mode/automatic``, waiting actions are committed as if they had been
    /// appended at the time of the call. After a change to ``ActionQueueConfiguration/Mode/review``, waiting actions
    /// wait for ``commit()``, unless a commit has already started. The next opening of the queue uses the mode of its
    /// configuration. The method cannot be cancelled.
    ///
    /// - Throws: ``ActionQueueError``: `databaseFailed`, `takenOver`, `erased`.
    public func setMode(_ mode: ActionQueueConfiguration.Mode) async throws {
        let now = clock.now
        try await ask { $0.modeAsked(mode, now: now) }
    }

    /// Stops passing actions to the committer until ``resume()`` is called. For example, call it while there is no
    /// network. Commits in flight continue. Append, undo and redo still work. A restart of the process ends the pause.
    public func pause() {
        apply { $0.isPaused = true }
        enter(.looked)
    }

    /// Ends a ``pause()``.
    public func resume() {
        apply { $0.isPaused = false }
        enter(.looked)
    }

    // MARK: Failed actions

    /// Retries all permanently failed actions. Each of them gets its full number of attempts again. The method cannot
    /// be cancelled.
    ///
    /// - Returns: The number of retried actions.
    /// - Throws: ``ActionQueueError``: `diskFull`, `databaseFailed`, `takenOver`, `erased`.
    @discardableResult
    public func retryFailed() async throws -> Int {
        try await ask { $0.retryAsked() }
    }

    /// Discards all permanently failed actions. Their effects are not changed. These actions can no longer be undone or
    /// redone. The method cannot be cancelled.
    ///
    /// - Returns: The number of discarded actions.
    /// - Throws: ``ActionQueueError``: `diskFull`, `databaseFailed`, `takenOver`, `erased`.
    @discardableResult
    public func discardFailed() async throws -> Int {
        try await ask { $0.discardAsked() }
    }

    /// Retries one permanently failed action. The action gets its full number of attempts again. The method cannot be
    /// cancelled.
    ///
    /// - Throws: ``ActionQueueError``: `notPending` if the action has not failed; `diskFull`, `databaseFailed`,
    ///   `takenOver`, `erased`.
    public func retry(_ id: ActionID) async throws {
        try await ask { try $0.retryAsked(id) }
    }

    /// Discards one permanently failed action. Its effect is not changed. The action can no longer be undone or redone.
    /// The method cannot be cancelled.
    ///
    /// - Throws: ``ActionQueueError``: `notPending` if the action has not failed; `diskFull`, `databaseFailed`,
    ///   `takenOver`, `erased`.
    public func discard(_ id: ActionID) async throws {
        try await ask { try $0.discardAsked(id) }
    }

    /// Drops one action that was not carried out yet, even if other actions were appended after it. The queue will not
    /// carry the action out. The action can no longer be undone or redone. The method cannot be cancelled.
    ///
    /// - Throws: ``ActionQueueError``: `notPending` in three cases: a commit of the action is in flight, the action was
    ///   or may have been carried out, or the action is already undone. Also `diskFull`, `databaseFailed`, `takenOver`,
    ///   `erased`.
    public func withdraw(_ id: ActionID) async throws {
        try await ask { try $0.withdrawAsked(id) }
    }

    /// Deletes the rows that this version of the app cannot read. Versions of the app that could read these rows lose
    /// them, too. The method cannot be cancelled.
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

    /// A stream of the queue's state, with an element now and after every change. A slow reader may miss intermediate
    /// states, but never the last state. The stream ends when the reader's task or the queue ends.
    public var updates: AsyncStream<ActionQueueSnapshot> {
        quietly { readers.elements(startingWith: $0.snapshot) }
    }

    /// The actions that wait to be carried out or reverted, in order, and after them the failed actions. Use this list
    /// in a view in which the user reviews the actions.
    public var pendingActions: [PendingAction<Action>] { quietly { $0.core }.pendingActions }

    // MARK: Requests to the core

    /// Encodes an action. It runs on the caller's actor, so that actions keep the order in which a view appended them.
    private func newAction(_ action: Action, id: ActionID? = nil) throws -> NewAction<Action> {
        if let id { return try NewAction(action, id: id, appendedAt: date()) }
        return try NewAction(action, makingID: makeID, appendedAt: date())
    }

    /// Applies a request to the core. Waits until the change is on disk. If `work` throws an error, it must not have
    /// changed the core.
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
