import Foundation
import Hablare

extension DurableActionQueue {
    // MARK: Doing, undoing, redoing

    /// Appends an action. On return it is on disk, and will be carried out unless it is undone before.
    ///
    /// It ends the possibility to redo what was undone. Actions are in the order in which this was called. Not
    /// cancellable: what was handed to the journal may be on disk the next moment.
    ///
    /// - Returns: The action's id.
    /// - Throws: ``ActionQueueError``: `notEncodable`, `tooLarge` (more than 1 MiB of JSON), `diskFull`, `databaseFailed`,
    ///   `takenOver`, `erased`. Nothing was appended then.
    @discardableResult
    public func append(_ action: Action) async throws -> ActionID {
        let new = try newAction(action)
        let now = clock.now
        try await ask { try $0.appended(new, now: now) }
        return new.id
    }

    /// Appends an action under an id of the caller's, once: what was appended under it before is not appended again.
    ///
    /// So a caller that does not know whether an action was appended, because its process ended or the call failed, appends
    /// it again under the same id. The queue remembers the ids of its last 10,000 actions, also of those that are carried
    /// out, undone or dropped by then. Otherwise as without an id.
    ///
    /// - Parameters:
    ///   - action: The action. Its JSON must be the same each time, for which the encoder sorts the keys.
    ///   - id: The action's id, which names it for ever: derived from what is done, or stored before this is called.
    /// - Throws: As without an id; `conflict` where another action was appended under the id.
    public func append(_ action: Action, id: ActionID) async throws {
        var new = try newAction(action, id: id)
        new.name = ActionName(id, of: new.payload)
        let now = clock.now
        try await ask { [new] in try $0.appended(new, now: now) }
    }

    /// Appends several actions, in one transaction: on return all of them are on disk.
    ///
    /// They are undone one by one. Otherwise as for one action.
    ///
    /// - Returns: The actions' ids, in their order.
    /// - Throws: As for one action. None was appended then.
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

    /// Takes back the last action that was not taken back yet. On return that is on disk.
    ///
    /// What was not carried out yet never will be. What was carried out is followed by its compensation. Where a commit
    /// is under way, its outcome decides. Not cancellable.
    ///
    /// - Returns: What was undone, and what follows from it.
    /// - Throws: ``ActionQueueError``: `nothingToUndo`; `cannotBeUndone` where the action was carried out, or may have been,
    ///   and has no compensation; `diskFull`, `databaseFailed`, `takenOver`, `erased`. Nothing was undone then.
    @discardableResult
    public func undo() async throws -> ActionChange<Action> {
        let now = clock.now
        return try await ask { try $0.undoAsked(now: now) }
    }

    /// Wants again what was undone last. On return that is on disk.
    ///
    /// A compensation that was not carried out yet never will be; otherwise the action is carried out anew. Not
    /// cancellable.
    ///
    /// - Returns: What was redone, and what follows from it.
    /// - Throws: ``ActionQueueError``: `nothingToRedo`, `diskFull`, `databaseFailed`, `takenOver`, `erased`. Nothing was
    ///   redone then.
    @discardableResult
    public func redo() async throws -> ActionChange<Action> {
        let now = clock.now
        return try await ask { try $0.redoAsked(now: now) }
    }

    // MARK: Committing

    /// Commits whatever waits, without waiting for its outcome: also what was to be tried again later. In
    /// ``ActionQueueConfiguration/Mode/review`` this is the person's word.
    ///
    /// While nobody runs the queue, it is committed as soon as somebody does, in this process. Not cancellable.
    ///
    /// - Throws: ``ActionQueueError``: `diskFull`, `databaseFailed`, `takenOver`, `erased`.
    public func commit() async throws {
        try await ask { _ = $0.commitAsked() }
    }

    /// Commits whatever waits, and waits until each of it was tried once: for the moment when an app goes to the
    /// background. What failed then and is to be tried again is still ``ActionQueueSnapshot/pending``, as is what waits
    /// behind it because it has the same subject: that is not tried before it is its turn.
    ///
    /// It does not wait for somebody to run the queue, because nobody might. A ``run()`` that was started this moment may
    /// not have begun: wait for ``ActionQueueSnapshot/isRunning`` in ``updates`` first.
    ///
    /// Cancelling the task ends the wait, not the commit.
    ///
    /// - Returns: How the queue stands afterwards.
    /// - Throws: ``ActionQueueError``: `notRunning` where nobody runs the queue, or stops doing so meanwhile;
    ///   `diskFull` or `databaseFailed` where what came of it cannot be written now; `takenOver`, `erased`.
    ///   `CancellationError`.
    @discardableResult
    public func flush() async throws -> ActionQueueSnapshot {
        guard quietly({ $0.isRunning || $0.end != nil }) else { throw ActionQueueError.notRunning }
        let place = try await ask { $0.commitAsked() }
        await wait(isCancellable: true) { state in
            !state.isRunning || state.journalFailure != nil
                || (state.core.isRunning && state.core.isFlushed(upTo: place))
        }
        try Task.checkCancellation()
        return try quietly { state -> Result<ActionQueueSnapshot, ActionQueueError> in
            if let failure = state.end ?? state.journalFailure { return .failure(failure) }
            return state.isRunning ? .success(state.snapshot) : .failure(.notRunning)
        }.get()
    }

    /// Hands over nothing more until ``resume()``, for example while there is no network. What is under way goes on;
    /// appending, undo and redo work as always. Not remembered over restarts.
    public func pause() {
        happened { $0.isPaused = true }
        enter(.looked)
    }

    /// Ends ``pause()``.
    public func resume() {
        happened { $0.isPaused = false }
        enter(.looked)
    }

    // MARK: What has failed

    /// Tries again what has failed for good, with all its attempts anew. Not cancellable.
    ///
    /// - Returns: How many actions that are.
    /// - Throws: ``ActionQueueError``: `diskFull`, `databaseFailed`, `takenOver`, `erased`.
    @discardableResult
    public func retryFailed() async throws -> Int {
        try await ask { $0.retryAsked() }
    }

    /// Gives up what has failed for good: the world stays as it is, and these actions can neither be undone nor redone.
    /// Not cancellable.
    ///
    /// - Returns: How many actions that were.
    /// - Throws: ``ActionQueueError``: `diskFull`, `databaseFailed`, `takenOver`, `erased`.
    @discardableResult
    public func discardFailed() async throws -> Int {
        try await ask { $0.discardAsked() }
    }

    /// Tries again one action that has failed for good, with all its attempts anew. Not cancellable.
    ///
    /// - Throws: ``ActionQueueError``: `notPending` where it has not failed; `diskFull`, `databaseFailed`, `takenOver`,
    ///   `erased`.
    public func retry(_ id: ActionID) async throws {
        try await ask { try $0.retryAsked(id) }
    }

    /// Gives up one action that has failed for good: the world stays as it is, and the action can neither be undone nor
    /// redone. Not cancellable.
    ///
    /// - Throws: ``ActionQueueError``: `notPending` where it has not failed; `diskFull`, `databaseFailed`, `takenOver`,
    ///   `erased`.
    public func discard(_ id: ActionID) async throws {
        try await ask { try $0.discardAsked(id) }
    }

    /// Drops one action that was not carried out, whatever was appended after it: it never will be, and can neither be
    /// undone nor redone. Not cancellable.
    ///
    /// - Throws: ``ActionQueueError``: `notPending` where it is being carried out, was carried out or may have been, or is
    ///   not wanted anyway; `diskFull`, `databaseFailed`, `takenOver`, `erased`.
    public func withdraw(_ id: ActionID) async throws {
        try await ask { try $0.withdrawAsked(id) }
    }

    /// Removes the rows that this version of the app cannot read, also for versions that could. Not cancellable.
    ///
    /// - Returns: How many rows that were.
    /// - Throws: ``ActionQueueError``: `diskFull`, `databaseFailed`, `takenOver`, `erased`.
    @discardableResult
    public func discardUnreadable() async throws -> Int {
        try await ask { $0.discardUnreadableAsked() }
    }

    // MARK: How it stands

    /// How the queue stands.
    public var snapshot: ActionQueueSnapshot { quietly { $0.snapshot } }

    /// How the queue stands, now and after every change, for as long as the queue lives. A slow reader misses what is in
    /// between, never the last. Ends with the reader's task.
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

    /// What is to be carried out or taken back, in its order, followed by what has failed: what a person reviews.
    public var pendingActions: [PendingAction<Action>] { quietly { $0.core }.pendingActions }

    // MARK: The way in

    /// On the caller's actor, so that actions are in the order in which a view appended them.
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

    /// Asks the core for something, and waits until it is on disk. Where `work` throws, it has changed nothing.
    private func ask<R: Sendable>(
        _ work: @escaping @Sendable (inout ActionQueueCore<Action>) throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            enter(
                ActionQueueEvent(
                    tell: { core in
                        let result = Result { try work(&core) }
                        return { continuation.resume(with: result) }
                    }, refuse: { continuation.resume(throwing: $0) }))
        }
    }
}
