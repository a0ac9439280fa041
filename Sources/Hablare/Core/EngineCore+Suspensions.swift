import Foundation
import OrderedCollections

extension EngineCore {
    // MARK: Suspended lanes

    /// Returns whether a provider needs the network and the engine is suspended because there is no network.
    package func isOffline(_ provider: ProviderID) -> Bool {
        needsNetwork(provider) && suspensions.contains(.offline)
    }

    package func isLaneSuspended(_ provider: ProviderID) -> Bool {
        guard mayBeSuspended, let index = lanes.index(forKey: provider) else { return false }
        return isLaneSuspended(at: index)
    }

    /// Returns whether a lane is suspended. The parameter is an index, because a copy of a lane would retain everything
    /// in the lane.
    func isLaneSuspended(at index: Int) -> Bool {
        guard mayBeSuspended else { return false }
        return suspensions.contains(.background) || lanes.values[index].needsNetwork && suspensions.contains(.offline)
            || suspendedAccounts.contains(lanes.values[index].account)
    }

    private var mayBeSuspended: Bool { suspensions.isAny || !suspendedAccounts.isEmpty }

    /// Returns whether flights for a provider are returned to the store instead of being queued in the provider's lane
    /// (its queue in this process).
    package func givesBack(_ provider: ProviderID) -> Bool { isClosed || isLaneSuspended(provider) }

    func needsNetwork(_ provider: ProviderID) -> Bool { lanes[provider]?.needsNetwork ?? false }

    // MARK: Reasons

    /// Adds a reason to suspend work. The lanes (provider queues) to which the reason applies start no more attempts,
    /// and return their queued flights to the store. Attempts in flight may continue for the grace period.
    package mutating func suspended(for reason: SuspensionReason, grace: Duration) {
        suspensions.suspended(for: reason, graceEnds: now.clock + grace)
        giveBackSuspended()
        endGraces()
        updateSilence()
    }

    /// Returns the queued flights of suspended lanes to the store.
    private mutating func giveBackSuspended() {
        var queued: [QueuedFlight] = []
        for index in lanes.values.indices where isLaneSuspended(at: index) {
            queued += lanes.values[index].queue.removeAll()
            lanes.values[index].backlogMayExist()
        }
        for flight in deferred.values.sorted(by: { $0.id < $1.id }) where isLaneSuspended(flight.provider) {
            queued.append(flight)
            deferred[flight.id] = nil
        }
        release(queued)
    }

    /// Removes a reason to suspend work. The lanes (provider queues) to which the reason applied claim flights again.
    package mutating func resumed(from reason: SuspensionReason) {
        if suspensions.resumed(from: reason) { backlogMayExist() }
        revive()
    }

    /// Ends the grace period of a reason, because the caller of `suspend` was cancelled.
    package mutating func hurried(_ reason: SuspensionReason) {
        suspensions.hurried(reason)
        endGraces()
    }

    mutating func endGraces() {
        guard suspensions.isAny else { return }
        suspensions.timePassed(now: now.clock)
        guard suspensions.isGraceOver(of: .offline) else { return }
        for key in underWay where attempts[key].map({ isOffline($0.flight.provider) }) == true {
            stop(key, because: .interrupted)
        }
    }

    /// The end of the next grace period that applies to an attempt in flight. Only these grace periods need a timer.
    package var nextGraceEnd: Duration? {
        guard suspensions.isAny else { return nil }
        var ends: [Duration] = []
        if let end = suspensions.graceEnd(of: .background), !slots.isEmpty { ends.append(end) }
        if let end = suspensions.graceEnd(of: .offline), hasOfflineAttempts { ends.append(end) }
        return ends.min()
    }

    /// Whether the engine is suspended because there is no network, and attempts at providers that need the network are
    /// still in flight.
    var hasOfflineAttempts: Bool {
        slots.values.contains { attempts[$0].map { isOffline($0.flight.provider) } == true }
    }

    /// Whether no call that needs the network is in flight, and all leases of such calls are returned. The value is
    /// `false` during a claim, because the claimed flights must be returned.
    var isQuietOffline: Bool {
        !hasOfflineAttempts && storeTasks.online == 0 && placed == 0 && !hasRecordings(where: needsNetwork)
    }

    // MARK: Accounts

    package func isAccountSuspended(of provider: ProviderID) -> Bool {
        lanes[provider].map { suspendedAccounts.contains($0.account) } ?? false
    }

    package func isAccountPaused(of provider: ProviderID) -> Bool {
        lanes[provider].flatMap { accounts[$0.account]?.pausedUntil.map { $0 > now.date } } ?? false
    }

    /// Handles a permanent failure of a provider's call. If the account would refuse every other call in the same way
    /// and ``EngineConfiguration/suspendsRefusingAccounts`` is set, suspends the account.
    mutating func refused(by provider: ProviderID, with error: AIServiceError) {
        guard error.isRefusalOfAll, let account = lanes[provider]?.account else { return }
        emit(.refused(by: account, provider: provider, error))
        // A missing model concerns only the requests that name it.
        guard configuration.suspendsRefusingAccounts, error.code != .invalidConfiguration,
            suspendedAccounts.insert(account).inserted
        else { return }
        giveBackSuspended()
        emit(.suspended(account, error))
    }

    /// Ends the suspension and the pause of an account.
    package mutating func resumed(_ account: AccountID) {
        let wasPaused = accounts[account]?.pausedUntil != nil
        accounts[account]?.liftPause()
        if suspendedAccounts.remove(account) != nil || wasPaused { backlogMayExist() }
    }

    /// Records whether the store has written a report about an account.
    package mutating func reported(_ report: AccountReport, isWritten: Bool) {
        guard let date = report.pausedUntil else { return }
        accounts[report.account]?.reportsUnderWay -= 1
        if !isWritten { accounts[report.account]?.unreportedUntil = date }
    }

    /// Applies the pause of an account that was read from the store. The date is `nil` if the store has no pause.
    mutating func paused(_ account: AccountID, until date: Date?) {
        guard accounts[account] != nil else { return }
        accounts[account]?.pauseRead(until: date, now: now.date)
        for index in lanes.values.indices where lanes.values[index].account == account { touch(index) }
    }

    // MARK: The engine

    /// Starts an engine. Returns whether the engine should work at once, and the state before the start. Returns `nil`
    /// if an engine already runs. Two engines would return each other's leases.
    package mutating func engineStarted() -> (isToWork: Bool, before: Suspensions)? {
        let before = suspensions
        guard !before.hasEngine else { return nil }
        return (suspensions.engineStarted(), before)
    }

    /// Records that the engine is suspended and no longer holds leases.
    package mutating func engineSuspended() {
        suspensions.engineSuspended()
        revive()
    }

    /// Announces that callers whose waits have ended may wait again. Does nothing while the engine sends nothing to
    /// callers.
    package mutating func revive() {
        updateSilence()
        if !isSilent { effects.append(.revive(.engine)) }
    }

    /// Records that the engine has shut down.
    package mutating func engineEnded() {
        suspensions.engineEnded()
        updateSilence()
    }

    var isToClose: Bool {
        switch suspensions.order {
        case .work: false
        case .suspend: slots.isEmpty || suspensions.isGraceOver(of: .background)
        case .end: true
        }
    }

    /// Updates whether the engine sends statuses and chunks to callers. If it stops doing so, ends all waits. Reports
    /// each change.
    private mutating func updateSilence() {
        guard suspensions.isSilent != isSilent else { return }
        isSilent = suspensions.isSilent
        effects.append(.silence(isSilent))
        guard isSilent else { return }
        let ended = watched.removeAll()
        if !ended.isEmpty { effects.append(.end(ended, .failure(AIServiceError.suspended))) }
    }
}

extension AIServiceError {
    fileprivate var isRefusalOfAll: Bool { [.unauthorized, .quotaExceeded, .invalidConfiguration].contains(code) }
}
