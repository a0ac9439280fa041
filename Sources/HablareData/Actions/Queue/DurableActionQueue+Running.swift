import Hablare
import HablareSupport
import Logging
public import ServiceLifecycle

extension DurableActionQueue: Service {
    /// Carries actions out until graceful shutdown or cancellation.
    ///
    /// On graceful shutdown, the queue passes no more actions to the committer. It cancels the commits in flight after
    /// ``ActionQueueConfiguration/shutdownGrace``. If the task is cancelled, the queue cancels the commits in flight at
    /// once. After the cancellation, the method waits up to one second for the commits to end. If an outcome arrives
    /// later, it is still recorded.
    ///
    /// Actions that were not carried out stay in the journal, and the next owner of the queue carries them out. After
    /// this method has returned, you may call it again.
    ///
    /// - Throws: ``ActionQueueError``: `alreadyRunning`; `takenOver` or `erased` as soon as the journal reports one of
    ///   them.
    public func run() async throws {
        try apply { state -> Result<Void, ActionQueueError> in
            if let end = state.end { return .failure(end) }
            guard !state.isRun, !state.isLeaving else { return .failure(.alreadyRunning) }
            state.isRun = true
            state.isToEnd = false
            return .success(())
        }.get()
        enter(.looked)
        let isOver = Locked(false)
        await withTaskCancellationOrGracefulShutdownHandler {
            await wait { $0.isToEnd || $0.end != nil }
        } onCancelOrGracefulShutdown: {
            // In a task of its own, because a cancellation handler must not wait for the lock (see `readers`). A late
            // one must not end the next run.
            _ = self.spawner.start { if !isOver.withLock({ $0 }) { self.apply { $0.isToEnd = true } } }
        }
        isOver.withLock { $0 = true }
        // A new owner repeats the commits in flight here, so this run ends as soon as it can.
        let isToHurry = Task.isCancelled || quietly { $0.end != nil }
        await leave(grace: isToHurry ? .zero : configuration.shutdownGrace)
        if let end = quietly({ $0.end }) { throw end }
    }

    /// Stops passing actions to the committer. Waits for the commits in flight.
    private func leave(grace: Duration) async {
        apply { state in
            state.isRun = false
            state.isLeaving = true
        }
        defer { apply { $0.isLeaving = false } }
        enter(.looked)
        await wait(within: grace, isCancellable: true) { Self.isIdle($0) }
        let commits = quietly { state in state.commits.sorted { $0.key < $1.key }.map(\.value) }
        for commit in commits { commit.cancel() }
        await wait(within: Self.cancellationGrace) { Self.isIdle($0) }
    }

    /// Returns whether no commit is in flight and no outcome waits to be written. An outcome that the failing journal
    /// cannot write is ignored.
    private static func isIdle(_ state: State) -> Bool {
        guard state.end == nil else { return state.commits.isEmpty }
        return state.commits.isEmpty && state.writer == nil && (state.inbox.isEmpty || state.journalRetryAt != nil)
    }

    // MARK: Commits

    func start(_ handover: ActionHandover<Action>, _ state: inout State) {
        let number = state.nextNumber()
        state.commits[number] = spawner.start {
            let verdicts = await self.verdicts(on: handover)
            let now = self.clock.now
            // Entering the outcome before removing the commit makes a shutdown wait for the outcome's record, too.
            self.enter(.mutation { $0.groupEnded(handover.group, verdicts, now: now) })
            self.apply { $0.commits[number] = nil }
        }
    }

    private func verdicts(on handover: ActionHandover<Action>) async -> [Int64: ActionVerdict] {
        var verdicts: [Int64: ActionVerdict] = [:]
        var items: [ActionItem<Action>] = []
        for item in handover.items {
            if item.isRepeated {
                switch await look(for: item) {
                case .commit(let item): items.append(item)
                case .verdict(let verdict): verdicts[item.origin.number] = verdict
                }
            } else {
                items.append(item)
            }
        }
        if Task.isCancelled {
            for item in items { verdicts[item.origin.number] = .stopped(item) }
            return verdicts
        }
        guard !items.isEmpty else { return verdicts }
        let outcomes = await committer.commit(items, of: handover.group)
        if outcomes.count != items.count {
            logger.warning(
                "A committer must return one outcome for each item. Missing outcomes count as unknown, and additional ones are ignored",
                metadata: ["queue": "\(name)", "items": "\(items.count)", "outcomes": "\(outcomes.count)"])
        }
        let isCancelled = Task.isCancelled
        for (item, outcome) in zip(items, outcomes) {
            verdicts[item.origin.number] = ActionVerdict(outcome, of: item, isCancelled: isCancelled)
        }
        if isCancelled {
            for item in items.dropFirst(outcomes.count) { verdicts[item.origin.number] = .interrupted }
        }
        return verdicts
    }

    private enum Finding {
        case commit(ActionItem<Action>)
        case verdict(ActionVerdict)
    }

    /// Asks the committer whether an earlier attempt carried an item out. Returns what to do next with the item.
    private func look(for item: ActionItem<Action>) async -> Finding {
        do {
            switch try await committer.wasApplied(item) {
            case true?: return .verdict(.done)
            case false? where item.isUnwanted: return .verdict(.notApplied)
            case false?: return .commit(item.notRepeated())
            case nil: return .commit(item)
            }
        } catch {
            // Any error during a shutdown may come from the shutdown itself.
            return .verdict(Task.isCancelled ? .interrupted : .unknown(ActionVerdict.text(of: error)))
        }
    }

    // MARK: Waiting for a condition

    /// Waits until a condition holds, or until a time limit has passed.
    func wait(
        within limit: Duration? = nil, isCancellable: Bool = false, until isOver: @escaping @Sendable (State) -> Bool
    ) async {
        let waiter = Waiter<Void>()
        let number = quietly { state -> Int? in
            guard !isOver(state) else { return nil }
            let number = state.nextNumber()
            state.waiters[number] = ConditionWaiter(isOver: isOver, waiter: waiter)
            return number
        }
        guard let number else { return }
        await waiter.wait(within: limit, on: clock, spawner, isCancellable: isCancellable)
        quietly { $0.waiters[number] = nil }
    }
}
