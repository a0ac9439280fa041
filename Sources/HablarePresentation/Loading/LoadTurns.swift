/// Decides which load counts. Pure.
///
/// Loads are numbered. At most one of them counts at a time, and the result of any other is nobody's business: it was
/// cancelled, or a newer one was begun.
struct LoadTurns: Sendable {
    /// What a wish to load leads to.
    enum Decision: Sendable, Equatable {
        /// The load of that turn begins; the one that it supersedes, if any, is to be stopped.
        case start(Int, superseding: Int?)
        /// Nothing.
        case ignore
    }

    private let policy: LoadPolicy
    /// The turn that counts; `nil` while nothing is being loaded.
    private(set) var current: Int?
    private var last = 0

    init(_ policy: LoadPolicy) {
        self.policy = policy
    }

    /// Somebody wants to load.
    mutating func loadWasWanted() -> Decision {
        if current != nil, policy == .ignoreWhileLoading { return .ignore }
        let superseded = current
        last += 1
        current = last
        return .start(last, superseding: superseded)
    }

    /// The load of a turn ended; answers whether it counts.
    mutating func loadEnded(_ turn: Int) -> Bool {
        guard turn == current else { return false }
        current = nil
        return true
    }

    /// Somebody wants nothing any more; answers with the turn that is to be stopped.
    mutating func loadWasCancelled() -> Int? {
        defer { current = nil }
        return current
    }
}
