import OrderedCollections

extension ActionQueueCore {
    // MARK: Triggers

    /// Restarts the quiet time (the pause before a commit), because an action was appended, undone or redone.
    mutating func somethingWaits(now: Duration) {
        quietSince = configuration.mode == .automatic ? now : nil
    }

    /// Changes the condition that starts a commit. In automatic mode, the quiet time of waiting steps begins now.
    mutating func modeAsked(_ mode: ActionQueueConfiguration.Mode, now: Duration) {
        guard configuration.mode != mode else { return }
        configuration.mode = mode
        somethingWaits(now: now)
    }

    /// Makes all waiting steps due if enough steps wait, or if the quiet time has passed.
    private mutating func pullTriggers(now: Duration) {
        guard configuration.mode == .automatic, let since = quietSince else { return }
        guard notYetDue > 0 || !underWay.isEmpty else {
            quietSince = nil
            return
        }
        guard notYetDue >= max(1, configuration.count) || now - since >= configuration.quietTime else { return }
        quietSince = nil
        // This includes steps in flight: one that was undone meanwhile must be reverted as soon as its outcome is
        // known.
        for number in queue { change(number) { $0.isDue = true } }
    }

    // MARK: Handing over

    /// Returns the items to pass to the committer now. Call this method after every batch of events, and at the time
    /// that ``wake(after:)`` returns.
    mutating func decide(now: Duration) -> [ActionHandover<Action>] {
        guard isRunning else { return [] }
        pullTriggers(now: now)
        guard due > 0 else { return [] }
        // Items in flight come before all others of their subject, even before steps with an unknown outcome.
        var subjects = Set(underWay.values.joined().compactMap { steps[$0]?.action.subject })
        var chosen: OrderedDictionary<Action.Group, [Int64]> = [:]
        for number in queue {
            guard let step = steps[number], !step.isUnderWay else { continue }
            // The first step of a subject blocks the others, regardless of why it waits itself.
            if let subject = step.action.subject, !subjects.insert(subject).inserted { continue }
            guard step.isDue, let direction = step.direction, step.retryAt ?? now <= now else { continue }
            guard let action = step.action(going: direction) else {
                give(
                    number,
                    up:
                        "The action no longer has a compensation, so it cannot be reverted. Retry it in a version of the app that has one, or discard it."
                )
                continue
            }
            let group = action.group
            guard underWay[group] == nil else { continue }
            if chosen[group]?.count ?? 0 < max(1, configuration.largestGroup) {
                chosen[group, default: []].append(number)
            }
        }
        var handovers: [ActionHandover<Action>] = []
        for (group, numbers) in chosen {
            underWay[group] = numbers
            handovers.append(ActionHandover(group: group, items: numbers.compactMap { handOver($0) }))
        }
        return handovers
    }

    /// Returns the time at which to call ``decide(now:)`` next if no event occurs earlier. Returns `nil` if no step
    /// waits for a time.
    ///
    /// - Parameter now: The time of the last call of ``decide(now:)``. Do not pass a later time: if a step became due
    ///   between the two times, the step would be missed.
    func wake(after now: Duration) -> Duration? {
        guard isRunning else { return nil }
        var earliest = quietSince.map { $0 + configuration.quietTime }
        for number in troubled {
            guard let step = steps[number], step.isOpen, let retryAt = step.retryAt, retryAt > now else { continue }
            earliest = min(earliest ?? retryAt, retryAt)
        }
        return earliest
    }

    private mutating func handOver(_ number: Int64) -> ActionItem<Action>? {
        guard let step = steps[number], let direction = step.direction, let action = step.action(going: direction)
        else { return nil }
        change(number) { step in
            step.record.standing = .handedOver(direction)
            step.record.attempt += 1
            step.isUnderWay = true
            step.retryAt = nil
        }
        return ActionItem(
            id: step.record.id, executions: step.record.executions, action: action,
            isCompensation: direction == .backward,
            isRepeated: step.record.standing == .handedOver(direction), attempt: step.record.attempt + 1,
            origin: ActionOrigin(number: number, owner: owner),
            isUnwanted: step.record.isWanted != (direction == .forward))
    }

    // MARK: Outcomes

    /// Records the end of a commit. If an item has no verdict, the committer may have carried it out.
    mutating func groupEnded(_ group: Action.Group, _ verdicts: [Int64: ActionVerdict], now: Duration) {
        guard let numbers = underWay.removeValue(forKey: group) else { return }
        let configuration = configuration
        for number in numbers {
            let verdict =
                verdicts[number]
                ?? .unknown("The committer returned no outcome for this item. Return one outcome for each item.")
            guard case .handedOver(let direction) = steps[number]?.record.standing else { continue }
            change(number) { step in
                step.isUnderWay = false
                step.queuePosition = step.record.position
                switch verdict {
                case .done:
                    step.record.standing = .after(direction)
                    step.record.executions += 1
                    step.succeeded(configuration)
                case .notApplied:
                    step.record.standing = .before(direction)
                    step.succeeded(configuration)
                case .failed(let failure, let isRetryable):
                    step.record.standing = .before(direction)
                    // It was undone meanwhile, so there is nothing to retry.
                    guard step.direction == direction else { return step.succeeded(configuration) }
                    step.failed(failure, isRetryable: isRetryable, now: now, configuration)
                case .interrupted:
                    step.queuePosition = 0
                    step.record.attempt -= 1
                case .unknown(let failure, let isRetryable):
                    // No other step may go before it while its outcome is unknown.
                    step.queuePosition = 0
                    step.failed(failure, isRetryable: isRetryable, now: now, configuration)
                }
            }
        }
    }

    private mutating func give(_ number: Int64, up failure: String) {
        change(number) { step in
            step.record.hasGivenUp = true
            step.record.failure = failure
        }
    }
}

extension ActionStep {
    /// Clears the step's failures, because its effect is now known. In review mode, the user must confirm a change that
    /// follows.
    fileprivate mutating func succeeded(_ configuration: ActionQueueConfiguration) {
        record.attempt = 0
        record.failure = nil
        if configuration.mode == .review { isDue = isDue && hasWord }
    }

    fileprivate mutating func failed(
        _ failure: String, isRetryable: Bool, now: Duration, _ configuration: ActionQueueConfiguration
    ) {
        record.failure = failure
        record.hasGivenUp = !isRetryable || record.attempt >= max(1, configuration.maximumAttempts)
        isDue = true
        retryAt = now + configuration.backoff(after: record.attempt)
    }
}
