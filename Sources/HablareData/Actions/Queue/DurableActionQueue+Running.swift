import Hablare
import Logging
public import ServiceLifecycle

extension DurableActionQueue: Service {
    /// Carries actions out until graceful shutdown or cancellation.
    ///
    /// On graceful shutdown nothing more is handed over, and commits under way get
    /// ``ActionQueueConfiguration/shutdownGrace`` before they are cancelled; on cancellation they are cancelled at once.
    /// A commit that goes on for a second more is not awaited any longer; what it comes back with still counts.
    /// Whatever is left is in the journal, and is carried out by whoever opens the queue next. It may be run again once
    /// this has returned.
    ///
    /// - Throws: ``ActionQueueError``: `alreadyRunning`; `takenOver` or `erased`, as soon as the journal says so.
    public func run() async throws {
        try happened { state -> Result<Void, ActionQueueError> in
            if let end = state.end { return .failure(end) }
            guard !state.isRun, !state.isLeaving else { return .failure(.alreadyRunning) }
            state.isRun = true
            state.isToEnd = false
            return .success(())
        }.get()
        enter(.looked)
        await withTaskCancellationOrGracefulShutdownHandler {
            await wait { $0.isToEnd || $0.end != nil }
        } onCancelOrGracefulShutdown: {
            self.happened { $0.isToEnd = true }
        }
        // Whoever has taken over repeats what is under way here: it ends as soon as it can.
        let isToHurry = Task.isCancelled || quietly { $0.end != nil }
        await leave(grace: isToHurry ? .zero : configuration.shutdownGrace)
        if let end = quietly({ $0.end }) { throw end }
    }

    /// Hands over nothing more, and waits for what is under way.
    private func leave(grace: Duration) async {
        happened { state in
            state.isRun = false
            state.isLeaving = true
        }
        defer { happened { $0.isLeaving = false } }
        enter(.looked)
        await wait(within: grace, isCancellable: true) { Self.isAtRest($0) }
        let commits = quietly { state in state.commits.sorted { $0.key < $1.key }.map(\.value) }
        for commit in commits { commit.cancel() }
        await wait(within: Self.cancellationGrace) { Self.isAtRest($0) }
    }

    /// Whether nothing is under way, and what came of it is on disk, or cannot be written.
    private static func isAtRest(_ state: State) -> Bool {
        guard state.end == nil else { return state.commits.isEmpty }
        return state.commits.isEmpty && state.writer == nil && (state.inbox.isEmpty || state.journalRetryAt != nil)
    }

    // MARK: Commits

    func start(_ handover: ActionHandover<Action>, _ state: inout State) {
        let number = state.nextNumber()
        state.commits[number] = spawner.start {
            let verdicts = await self.verdicts(on: handover)
            let now = self.clock.now
            // Entered before it is taken out, so that a shutdown that waits for it waits for its record, too.
            self.enter(.happened { $0.groupEnded(handover.group, verdicts, now: now) })
            self.happened { $0.commits[number] = nil }
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
                "A committer gave more or fewer outcomes than it was given items: missing ones count as unknown",
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

    /// What is to be done with an item that an earlier attempt may have carried out.
    private func look(for item: ActionItem<Action>) async -> Finding {
        do {
            switch try await committer.wasApplied(item) {
            case true?: return .verdict(.done)
            case false? where item.isUnwanted: return .verdict(.notApplied)
            case false?: return .commit(item.notRepeated())
            case nil: return .commit(item)
            }
        } catch {
            // Whatever error it is in which the shutdown comes back.
            return .verdict(Task.isCancelled ? .interrupted : .unknown(ActionVerdict.text(of: error)))
        }
    }

    // MARK: Waiting until something is so

    /// Waits until something is so, for some time at most.
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
