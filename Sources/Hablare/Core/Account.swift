import Foundation

/// The state of one account in this process: the permits that the process reserved in the store, and the account's
/// pause. A permit allows one call.
struct Account: Sendable {
    /// The time after which a reserved permit expires, in seconds. Without this limit, a process could use old permits
    /// for a burst of calls after a pause.
    static let permitLifetime: TimeInterval = 1
    /// The maximum number of calls for which permits are reserved at once. With this limit, a process does not hold
    /// many permits that another process could use now.
    static let largestBlock = 64

    let id: AccountID
    /// The rate limit. `nil` if there is no limit.
    let limit: RateLimit?
    private(set) var pausedUntil: Date?
    /// The number of reports of a pause that are being written to the store.
    var reportsUnderWay = 0
    /// The end of a pause that could not be written to the store.
    var unreportedUntil: Date?
    private var calls = 0
    private var units = 0.0
    /// Whether the store knew no limit of the account when it last granted permits, so that the grant was unlimited.
    /// Until this grant expires, the process does not count permits.
    private var isUnlimited = false
    /// The date until which an unlimited grant is ignored. The provider has reported a limit to this process, and the
    /// store may not know the limit yet.
    private var countsUntil = Date.distantPast
    /// Whether the last grant was unlimited. A call that was admitted under an unlimited grant has no permit that could
    /// be returned.
    private var wasUnlimited = false
    private var expiresAt = Date.distantPast
    /// The provider for whose calls permits were requested, while the store has not answered yet.
    private(set) var asker: ProviderID?
    /// The earliest date at which permits may be requested again.
    private var nextAsk: Date?

    init(id: AccountID, limit: RateLimit?) {
        self.id = id
        self.limit = limit
    }

    enum Admission: Sendable, Hashable {
        /// The call may be sent. Its permit has been counted.
        case admitted
        /// No permit is left. Reserve more permits in the store.
        case ask
        /// The account is paused, permits are being reserved, or it is too early to request permits again.
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
        // Nothing granted and no date: a store that breaks the contract is asked again, but not at once.
        let next = grant.next ?? (grant.costs.isEmpty ? expiresAt : nil)
        // A later date would not be believed, and the store would be asked again at once, repeatedly.
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

    /// Applies the account's pause that was read from the store. Another process may have set or lifted the pause.
    ///
    /// The stored pause replaces the pause that this process knows. There is one exception: if the pause of this
    /// process is not in the store yet, the later of the two ends is used.
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

    /// Records that the provider reported a limit of the account. From now on, the process counts permits.
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
        // A clock that was set back must not turn a pause of an hour into one of a year.
        if pausedUntil > now, pausedUntil <= now.addingTimeInterval(AccountBudget.longestPause) { return true }
        self.pausedUntil = nil
        return false
    }

    /// The date at which a waiting call may be sent, if only the date prevents it.
    var nextAdmission: Date? {
        if let pausedUntil { return pausedUntil }
        return limit == nil || asker != nil ? nil : nextAsk
    }
}
