/// The reasons for an engine's suspension, the grace periods for calls in flight, and what the engine should do next:
/// work, suspend or end.
///
/// This type is a pure value. Events and the current time are parameters of its methods.
package struct Suspensions: Sendable, Hashable {
    package enum Order: Sendable, Hashable {
        case work
        /// Return all leases and wait.
        case suspend
        case end
    }

    private enum Engine: Sendable, Hashable {
        case absent
        case up
        case suspended
        case ending
        case ended
    }

    private var engine = Engine.absent
    /// The end of each reason's grace period, as a time of the engine's clock. The inner value is `nil` when the grace
    /// period is over.
    private var graces: [SuspensionReason: Duration?] = [:]

    package init() {}

    // MARK: Reasons

    package var reasons: Set<SuspensionReason> { Set(graces.keys) }

    package var isAny: Bool { !graces.isEmpty }

    package func contains(_ reason: SuspensionReason) -> Bool { graces[reason] != nil }

    /// Returns whether a reason is in force and its grace period is over.
    package func isGraceOver(of reason: SuspensionReason) -> Bool {
        graces[reason].map { $0 == nil } ?? false
    }

    /// Returns the end of a reason's grace period. Returns `nil` after the grace period is over.
    package func graceEnd(of reason: SuspensionReason) -> Duration? { graces[reason] ?? nil }

    /// Adds a reason to suspend work. If the reason is already in force, the shorter of the two grace periods applies.
    package mutating func suspended(for reason: SuspensionReason, graceEnds end: Duration) {
        guard let grace = graces[reason] else { return graces[reason] = .some(end) }
        if let grace { graces[reason] = .some(min(grace, end)) }
    }

    @discardableResult
    package mutating func resumed(from reason: SuspensionReason) -> Bool {
        graces.removeValue(forKey: reason) != nil
    }

    /// Ends the grace period of a reason.
    package mutating func hurried(_ reason: SuspensionReason) {
        if contains(reason) { graces[reason] = .some(nil) }
    }

    package mutating func timePassed(now: Duration) {
        for reason in SuspensionReason.allCases {
            if let grace = graces[reason], let end = grace, end <= now { graces[reason] = .some(nil) }
        }
    }

    // MARK: The engine

    package var order: Order {
        if engine == .ending { return .end }
        return contains(.background) ? .suspend : .work
    }

    /// Whether an engine may have calls in flight or hold leases in the store.
    package var isEngineUp: Bool { engine == .up || engine == .ending }

    package var hasEngine: Bool { engine == .up || engine == .suspended || engine == .ending }

    /// Whether the engine sends nothing to callers, because it was shut down or is suspended in the background.
    package var isSilent: Bool { engine == .ended || engine == .suspended && contains(.background) }

    package mutating func engineStarted() -> Bool {
        engine = contains(.background) ? .suspended : .up
        return engine == .up
    }

    package mutating func engineFailed(before: Suspensions) {
        engine = before.engine
    }

    package mutating func engineSuspended() {
        if engine == .up { engine = .suspended }
    }

    /// Marks a suspended engine as working. Returns `false` if the engine should stay suspended or shut down.
    package mutating func engineWoke() -> Bool {
        guard order == .work else { return false }
        engine = .up
        return true
    }

    package mutating func endOrdered() {
        engine = .ending
    }

    package mutating func engineEnded() {
        engine = .ended
    }
}
