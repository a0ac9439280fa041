/// One provider's share of the dispatch: who is under way, who is queued here, and whether the store has more.
///
/// The queue is a window onto the backlog, which stays in the store: a process leases only what it will soon run, so
/// several processes share a backlog and a million waiting requests cost no memory.
struct Lane: Sendable {
    /// What is known of the waiting flights in the store.
    enum Backlog: Sendable, Hashable {
        /// There are none, as far as this process knows.
        case none
        /// There may be some.
        case possible
        /// They are being asked for; `more` when new ones may have come since.
        case asked(more: Bool)
    }

    var gate: ConcurrencyGate
    var queue = FairQueue<QueuedFlight>()
    /// Places of the window promised to submissions that are being committed.
    var promised = 0
    var backlog = Backlog.possible
    let window: Int

    init(concurrency: Int) {
        gate = ConcurrencyGate(limit: concurrency)
        window = max(16, min(concurrency, 1_000_000) * 4)
    }

    var room: Int { max(0, window - queue.count - promised) }

    mutating func backlogMayExist() {
        switch backlog {
        case .none: backlog = .possible
        case .asked: backlog = .asked(more: true)
        case .possible: break
        }
    }
}

/// A flight that this process holds and has not sent.
package struct QueuedFlight: Sendable {
    package var id: FlightID
    package var lifecycle: FlightLifecycle
    package var request: AIRequest
    package var provider: ProviderID
    /// Why it cannot be sent: the attempt fails with this.
    package var failure: AIServiceError?

    package init(
        id: FlightID, lifecycle: FlightLifecycle, request: AIRequest, provider: ProviderID,
        failure: AIServiceError? = nil
    ) {
        self.failure = failure
        self.id = id
        self.lifecycle = lifecycle
        self.request = request
        self.provider = provider
    }
}
