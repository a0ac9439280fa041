/// A pure state machine that decides which load is the current one.
///
/// Each load has a number. At most one load is current. The results of all other loads are ignored, because they were
/// cancelled or replaced by a newer load.
struct LatestLoadArbiter: Sendable {
    /// The decision on a request to load.
    enum Decision: Sendable, Equatable {
        /// Start the load with this number. If `superseding` has a number, cancel the load with that number.
        case start(Int, superseding: Int?)
        /// Ignore the request.
        case ignore
    }

    private let policy: LoadPolicy
    /// The number of the current load; `nil` if no load is in progress.
    private(set) var current: Int?
    private var last = 0

    init(_ policy: LoadPolicy) {
        self.policy = policy
    }

    /// Handles a request to load.
    mutating func loadWasWanted() -> Decision {
        if current != nil, policy == .ignoreWhileLoading { return .ignore }
        let superseded = current
        last += 1
        current = last
        return .start(last, superseding: superseded)
    }

    /// Handles the end of a load. Returns whether the load is the current one.
    mutating func loadEnded(_ number: Int) -> Bool {
        guard number == current else { return false }
        current = nil
        return true
    }

    /// Handles a cancellation. Returns the number of the load to cancel.
    mutating func loadWasCancelled() -> Int? {
        defer { current = nil }
        return current
    }
}
