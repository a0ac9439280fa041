import Foundation

/// What this process may send to one account: the permits it reserved in the store, and the account's pause.
struct Account: Sendable {
    /// How long a reserved permit may be kept. A permit that is spent late would let a burst through after a pause.
    static let permitLifetime: TimeInterval = 1
    /// The most calls that are reserved at once, so that no process holds what another could send now.
    static let largestBlock = 64

    let id: AccountID
    /// `nil`: any number of calls.
    let limit: RateLimit?
    private(set) var pausedUntil: Date?
    /// How many reports of a pause are on their way to the store.
    var reportsUnderWay = 0
    /// The end of a pause that the store could not take.
    var unreportedUntil: Date?
    private var calls = 0
    private var units = 0.0
    /// Whether the store knew of nothing that limits the account: as long as permits last, none are counted.
    private var isUnlimited = false
    /// The provider told this process of a limit. Until this date the store may not know, and an answer of its that nothing
    /// limits the account is an older one.
    private var countsUntil = Date.distantPast
    /// Whether the last grant was one without a limit: what was admitted under it has no permit to give back.
    private var wasUnlimited = false
    private var expiresAt = Date.distantPast
    /// The lane that asked for permits and has not been answered.
    private(set) var asker: ProviderID?
    /// When it is worth asking again.
    private var nextAsk: Date?

    init(id: AccountID, limit: RateLimit?) {
        self.id = id
        self.limit = limit
    }

    enum Admission: Sendable, Hashable {
        case admitted
        case ask
        case wait
    }

    mutating func admit(cost: Double, now: Date) -> Admission {
        if isPaused(now) { return .wait }
        guard limit != nil else { return .admitted }
        if expiresAt <= now || expiresAt > now.addingTimeInterval(Self.permitLifetime) {
            forgetPermits()
        }
        if isUnlimited { return .admitted }
        if calls >= 1, limit?.unitsPerMinute == nil || units >= cost {
            calls -= 1
            units -= cost
            return .admitted
        }
        if asker != nil { return .wait }
        if let nextAsk, nextAsk > now, nextAsk <= now.addingTimeInterval(AccountBudget.longestPause) { return .wait }
        return .ask
    }

    mutating func returned(cost: Double) {
        guard limit != nil, !wasUnlimited else { return }
        calls += 1
        units += cost
    }

    mutating func asked(by provider: ProviderID) {
        asker = provider
    }

    mutating func granted(_ grant: PermitGrant, now: Date) {
        asker = nil
        if expiresAt <= now { forgetPermits() }
        let isOutdated = countsUntil > now && countsUntil <= now.addingTimeInterval(Self.permitLifetime)
        isUnlimited = grant.isUnlimited && !isOutdated
        wasUnlimited = isUnlimited
        if !isUnlimited {
            calls += grant.costs.count
            units += grant.costs.reduce(0, +)
        }
        expiresAt = now.addingTimeInterval(Self.permitLifetime)
        // Nothing granted and no date: a store that does not keep its word is asked again, not at once.
        let next = grant.next ?? (grant.costs.isEmpty ? expiresAt : nil)
        // Never farther than is believed: otherwise it would be asked again at once, and again.
        nextAsk = next.map { min($0, now.addingTimeInterval(AccountBudget.longestPause)) }
    }

    mutating func askFailed() {
        asker = nil
    }

    mutating func pause(until date: Date, now: Date) {
        let believed = min(date, now.addingTimeInterval(AccountBudget.longestPause))
        pausedUntil = max(pausedUntil ?? believed, believed)
        forgetPermits()
        limitsReported(now: now)
    }

    /// The store's state of the account's pause was read: another process may have been told of it, or have lifted it.
    ///
    /// It replaces the one here, unless that is not in the store, or not yet: then the later of the two counts.
    mutating func pauseRead(until date: Date?, now: Date) {
        let date = date.flatMap { $0 > now ? $0 : nil }
        guard reportsUnderWay == 0, unreportedUntil ?? now <= now else {
            if let date { pause(until: date, now: now) }
            return
        }
        guard let date else { return liftPause() }
        pausedUntil = nil
        pause(until: date, now: now)
    }

    mutating func liftPause() {
        pausedUntil = nil
        nextAsk = nil
    }

    /// The provider said what limits the account: from now on permits are counted.
    mutating func limitsReported(now: Date) {
        isUnlimited = false
        countsUntil = now.addingTimeInterval(Self.permitLifetime)
    }

    private mutating func forgetPermits() {
        calls = 0
        units = 0
        isUnlimited = false
    }

    private mutating func isPaused(_ now: Date) -> Bool {
        guard let pausedUntil else { return false }
        // A clock that was set back must not make a pause of an hour one of a year.
        if pausedUntil > now, pausedUntil <= now.addingTimeInterval(AccountBudget.longestPause) { return true }
        self.pausedUntil = nil
        return false
    }

    /// When a call that has to wait now may be sent, if time alone decides.
    var nextAdmission: Date? {
        if let pausedUntil { return pausedUntil }
        return limit == nil || asker != nil ? nil : nextAsk
    }
}
