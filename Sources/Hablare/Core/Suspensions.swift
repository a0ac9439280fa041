/// For which reasons an engine rests, how long what is under way may go on, and what the engine is to do next. Pure:
/// told what happened; knows no time but what it is told.
package struct Suspensions: Sendable, Hashable {
    /// What an engine is to do.
    package enum Order: Sendable, Hashable {
        /// Run what waits.
        case work
        /// Give back everything it holds and wait.
        case rest
        /// Shut down.
        case end
    }

    private enum Engine: Sendable, Hashable {
        /// None has run yet.
        case absent
        /// One runs, or is about to.
        case up
        /// One runs and holds nothing.
        case resting
        /// One runs and is shutting down.
        case ending
        /// One has run.
        case ended
    }

    private var engine = Engine.absent
    /// When the grace of each reason ends, by the engine's clock; `nil` once it is over.
    private var graces: [SuspensionReason: Duration?] = [:]

    package init() {}

    // MARK: Reasons

    /// The reasons in force.
    package var reasons: Set<SuspensionReason> { Set(graces.keys) }

    /// Whether any reason is in force.
    package var isAny: Bool { !graces.isEmpty }

    /// Whether a reason is in force.
    package func contains(_ reason: SuspensionReason) -> Bool { graces[reason] != nil }

    /// Whether a reason is in force and what it concerns may not go on any longer.
    package func isGraceOver(of reason: SuspensionReason) -> Bool {
        graces[reason].map { $0 == nil } ?? false
    }

    /// When the grace of a reason in force ends; `nil` once it is over.
    package func graceEnd(of reason: SuspensionReason) -> Duration? { graces[reason] ?? nil }

    /// There is a reason to rest. Of two graces for one reason the shorter counts.
    package mutating func suspended(for reason: SuspensionReason, graceEnds end: Duration) {
        guard let grace = graces[reason] else { return graces[reason] = .some(end) }
        if let grace { graces[reason] = .some(min(grace, end)) }
    }

    /// The reason is gone. Answers whether it was in force.
    @discardableResult
    package mutating func resumed(from reason: SuspensionReason) -> Bool {
        graces.removeValue(forKey: reason) != nil
    }

    /// Somebody cannot wait any longer.
    package mutating func hurried(_ reason: SuspensionReason) {
        if contains(reason) { graces[reason] = .some(nil) }
    }

    /// Time has passed.
    package mutating func timePassed(now: Duration) {
        for reason in SuspensionReason.allCases {
            if let grace = graces[reason], let end = grace, end <= now { graces[reason] = .some(nil) }
        }
    }

    // MARK: The engine

    /// What the engine is to do.
    package var order: Order {
        if engine == .ending { return .end }
        return contains(.background) ? .rest : .work
    }

    /// Whether an engine may have calls under way, or holds anything in the store.
    package var isEngineUp: Bool { engine == .up || engine == .ending }

    /// Whether one runs, whatever it is to do.
    package var hasEngine: Bool { engine == .up || engine == .resting || engine == .ending }

    /// Whether nobody is told anything: the engine was shut down, or rests in the background.
    package var isSilent: Bool { engine == .ended || engine == .resting && contains(.background) }

    /// An engine begins to run. Answers whether it is to work at once.
    package mutating func engineStarted() -> Bool {
        engine = contains(.background) ? .resting : .up
        return engine == .up
    }

    /// The engine that was to work could not begin.
    package mutating func engineFailed(before: Suspensions) {
        engine = before.engine
    }

    /// The engine holds nothing any more.
    package mutating func engineRested() {
        if engine == .up { engine = .resting }
    }

    /// The engine is about to work again. Answers whether it may.
    package mutating func engineWoke() -> Bool {
        guard order == .work else { return false }
        engine = .up
        return true
    }

    /// The engine is to shut down.
    package mutating func endOrdered() {
        engine = .ending
    }

    /// The engine has shut down.
    package mutating func engineEnded() {
        engine = .ended
    }
}
