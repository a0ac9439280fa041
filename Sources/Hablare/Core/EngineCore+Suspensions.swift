import Foundation
import OrderedCollections

extension EngineCore {
    // MARK: Suspended lanes

    /// Whether there is no network for a provider that needs it.
    package func isOffline(_ provider: ProviderID) -> Bool {
        needsNetwork(provider) && suspensions.contains(.offline)
    }

    package func isLaneSuspended(_ provider: ProviderID) -> Bool {
        guard mayBeSuspended, let index = lanes.index(forKey: provider) else { return false }
        return isLaneSuspended(at: index)
    }

    /// Whether a lane is suspended. By its place: a copy of a lane retains all that it has.
    func isLaneSuspended(at index: Int) -> Bool {
        guard mayBeSuspended else { return false }
        return suspensions.contains(.background) || lanes.values[index].needsNetwork && suspensions.contains(.offline)
            || suspendedAccounts.contains(lanes.values[index].account)
    }

    private var mayBeSuspended: Bool { suspensions.isAny || !suspendedAccounts.isEmpty }

    /// Whether flights that arrive in a provider's lane are given back.
    package func givesBack(_ provider: ProviderID) -> Bool { isClosed || isLaneSuspended(provider) }

    func needsNetwork(_ provider: ProviderID) -> Bool { lanes[provider]?.needsNetwork ?? false }

    // MARK: Reasons

    /// There is a reason to suspend work: lanes that it concerns start nothing more, and what is queued in them goes back.
    /// Attempts under way may go on for the grace period.
    package mutating func suspended(for reason: SuspensionReason, grace: Duration) {
        suspensions.suspended(for: reason, graceEnds: now.clock + grace)
        giveBackSuspended()
        endGraces()
        updateSilence()
    }

    /// Gives back what is queued in suspended lanes.
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

    package mutating func resumed(from reason: SuspensionReason) {
        if suspensions.resumed(from: reason) { backlogMayExist() }
        revive()
    }

    /// The caller that suspended work does not wait any longer for what is under way.
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

    /// When the next grace ends of those for which anything goes on. A grace for which nothing does wakes no one: nothing
    /// that a reason in force concerns is begun.
    package var nextGraceEnd: Duration? {
        guard suspensions.isAny else { return nil }
        var ends: [Duration] = []
        if let end = suspensions.graceEnd(of: .background), !places.isEmpty { ends.append(end) }
        if let end = suspensions.graceEnd(of: .offline), hasOfflineAttempts { ends.append(end) }
        return ends.min()
    }

    /// Whether attempts are under way whose providers need the network, while there is none.
    var hasOfflineAttempts: Bool {
        places.values.contains { attempts[$0].map { isOffline($0.flight.provider) } == true }
    }

    /// Whether nothing goes on that needs the network, and no lease of it is on its way back. A claim under way counts:
    /// it gives back what it gets.
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

    /// A request of a provider failed for good with an error. Where its account refuses every call in the same way, nothing
    /// more is sent to it, if the process is to keep its requests from that.
    mutating func refused(by provider: ProviderID, with error: AIServiceError) {
        guard error.isRefusalOfAll, let account = lanes[provider]?.account else { return }
        emit(.refused(by: account, provider: provider, error))
        // A model that is not there is the affair of the requests that name it.
        guard configuration.suspendsRefusingAccounts, error.code != .invalidConfiguration,
            suspendedAccounts.insert(account).inserted
        else { return }
        giveBackSuspended()
        emit(.suspended(account, error))
    }

    /// An account is to be called again.
    package mutating func resumed(_ account: AccountID) {
        let wasPaused = accounts[account]?.pausedUntil != nil
        accounts[account]?.liftPause()
        if suspendedAccounts.remove(account) != nil || wasPaused { backlogMayExist() }
    }

    /// The store has taken a report of an account, or could not.
    package mutating func reported(_ report: AccountReport, isWritten: Bool) {
        guard let date = report.pausedUntil else { return }
        accounts[report.account]?.reportsUnderWay -= 1
        if !isWritten { accounts[report.account]?.unreportedUntil = date }
    }

    /// An account is paused until a date, as the store has it, or not at all.
    mutating func paused(_ account: AccountID, until date: Date?) {
        guard accounts[account] != nil else { return }
        accounts[account]?.pauseRead(until: date, now: now.date)
        for index in lanes.values.indices where lanes.values[index].account == account { touch(index) }
    }

    // MARK: The engine

    /// An engine begins to run. Returns whether it is to work at once, and how things stood before; `nil` where one
    /// runs already: two would give back each other's leases.
    package mutating func engineStarted() -> (isToWork: Bool, before: Suspensions)? {
        let before = suspensions
        guard !before.hasEngine else { return nil }
        return (suspensions.engineStarted(), before)
    }

    /// The engine holds nothing any more, and is suspended.
    package mutating func engineRested() {
        suspensions.engineRested()
        revive()
    }

    /// The engine works, or may be about to: where things are announced (again), waits that ended may be begun again.
    package mutating func revive() {
        updateSilence()
        if !isSilent { effects.append(.revive(.engine)) }
    }

    /// The engine has shut down.
    package mutating func engineEnded() {
        suspensions.engineEnded()
        updateSilence()
    }

    var isToClose: Bool {
        switch suspensions.order {
        case .work: false
        case .rest: places.isEmpty || suspensions.isGraceOver(of: .background)
        case .end: true
        }
    }

    /// Ends all waits where nothing will be announced any more, or goes on.
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
