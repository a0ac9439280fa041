package import Foundation

/// The remaining quota of an account: its two token buckets, its pause and its reported limits. This type is pure.
/// Stores use it to compute the rows of their accounts.
package struct AccountBudget: Sendable, Hashable, Codable {
    package var requests: TokenBucket?
    package var units: TokenBucket?
    package var reportedRequests: Double?
    package var reportedUnits: Double?
    /// The end of a pause that the provider asked for. No call may be sent before this date.
    package var pausedUntil: Date?
    /// The date of the next possible call. The store computes it when it grants fewer permits than were requested.
    package var nextCall: Date?
    package var failingUntil: Date?

    package init(
        requests: TokenBucket? = nil, units: TokenBucket? = nil, reportedRequests: Double? = nil,
        reportedUnits: Double? = nil, pausedUntil: Date? = nil, nextCall: Date? = nil, failingUntil: Date? = nil
    ) {
        self.requests = requests
        self.units = units
        self.reportedRequests = reportedRequests
        self.reportedUnits = reportedUnits
        self.pausedUntil = pausedUntil
        self.nextCall = nextCall
        self.failingUntil = failingUntil
    }

    /// The longest accepted pause, in seconds. The limit is needed because a clock, or a header of the service, may be
    /// wrong by years.
    package static let longestPause: TimeInterval = 24 * 3600

    // MARK: Spending

    package mutating func reserve(_ costs: [Double], of limit: RateLimit, now: Date) -> PermitGrant {
        let grant = spend(costs, of: limit, now: now)
        nextCall = grant.next
        return grant
    }

    private mutating func spend(_ costs: [Double], of limit: RateLimit, now: Date) -> PermitGrant {
        if let pause = pause(now: now) { return PermitGrant(costs: [], next: pause) }
        pausedUntil = nil
        let requestMeasure = measure(limit.requestsPerMinute, reportedRequests, limit)
        let unitMeasure = measure(limit.unitsPerMinute, reportedUnits, limit)
        Self.refill(&requests, requestMeasure, now)
        Self.refill(&units, unitMeasure, now)
        let costs = costs.map { $0.isFinite ? max(0, $0) : unitMeasure?.capacity ?? 0 }
        guard requestMeasure != nil || unitMeasure != nil else {
            return PermitGrant(costs: costs, next: nil, isUnlimited: true)
        }
        var granted: [Double] = []
        for cost in costs {
            let delay = max(
                Self.delay(of: 1, requests, requestMeasure), Self.delay(of: cost, units, unitMeasure))
            guard delay == 0 else {
                return PermitGrant(
                    costs: granted, next: now.addingTimeInterval(min(delay, Self.longestPause)))
            }
            requests?.level -= 1
            units?.level -= cost
            // At most ten minutes of debt: one absurd cost must not close an account for ever.
            if let measure = unitMeasure, let level = units?.level {
                units?.level = max(level, -600 * measure.perSecond)
            }
            granted.append(cost)
        }
        return PermitGrant(costs: granted, next: nil)
    }

    /// Returns the end of the account's pause, if it is paused. A pause that is longer than ``longestPause`` is
    /// ignored, because it means that a clock was set back.
    package func pause(now: Date) -> Date? {
        believed(pausedUntil, now: now)
    }

    /// Returns the date if it is in the future and not too far away. The limit is ``longestPause`` plus the allowed
    /// difference of clocks. Otherwise returns `nil`.
    private func believed(_ date: Date?, now: Date) -> Date? {
        let farthest = now.addingTimeInterval(Self.longestPause + TokenBucket.largestLag)
        guard let date, date > now, date <= farthest else { return nil }
        return date
    }

    package func waitReason(now: Date) -> RequestSnapshot.WaitReason? {
        if let date = believed(failingUntil, now: now) { return .providerFailing(until: date) }
        if let pause = pause(now: now) { return .rateLimited(until: pause) }
        return believed(nextCall, now: now).map { .rateLimited(until: $0) }
    }

    private func measure(_ own: Double?, _ reported: Double?, _ limit: RateLimit) -> TokenBucket.Measure? {
        guard let rate = reported.map({ limit.isEstimate ? $0 : min(own ?? $0, $0) }) ?? own else { return nil }
        return TokenBucket.Measure(perMinute: rate, burst: limit.burst)
    }

    private static func refill(_ bucket: inout TokenBucket?, _ measure: TokenBucket.Measure?, _ now: Date) {
        guard let measure else {
            bucket = nil
            return
        }
        if bucket == nil { bucket = TokenBucket(level: measure.capacity, updatedAt: now) }
        bucket?.refill(measure, now: now)
    }

    private static func delay(
        of cost: Double, _ bucket: TokenBucket?, _ measure: TokenBucket.Measure?
    ) -> TimeInterval {
        guard let bucket, let measure else { return 0 }
        return bucket.delay(of: cost, measure)
    }

    // MARK: What was learned

    package mutating func note(_ report: AccountReport, now: Date) {
        if report.liftsPause {
            pausedUntil = nil
            // The next call may have been set to the end of the pause.
            nextCall = nil
        }
        if let until = report.pausedUntil {
            let believed = min(until, now.addingTimeInterval(Self.longestPause))
            pausedUntil = max(pause(now: now) ?? believed, believed)
        }
        switch report.failing {
        case .unchanged: break
        case .until(let date): failingUntil = date
        case .over: failingUntil = nil
        }
        guard let limits = report.limits else { return }
        Self.note(limits.requests, &requests, &reportedRequests)
        Self.note(limits.units, &units, &reportedUnits)
        if let reset = limits.pause {
            let until = now.addingTimeInterval(min(reset / .seconds(1), Self.longestPause))
            pausedUntil = max(pause(now: now) ?? until, until)
        }
    }

    private static func note(
        _ quota: ReportedLimits.Quota?, _ bucket: inout TokenBucket?, _ reported: inout Double?
    ) {
        guard let quota else { return }
        // Headers are data: a limit that is not a positive number is no limit.
        if let rate = quota.perMinute, rate.isFinite, rate > 0 { reported = rate }
        if let remaining = quota.remaining, remaining.isFinite, let level = bucket?.level {
            bucket?.level = min(level, max(0, remaining))
        }
    }
}
