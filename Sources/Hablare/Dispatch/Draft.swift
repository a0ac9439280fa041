/// A checked submission on its way to the store, and the place that is kept for it here.
struct Draft: Sendable {
    var submission: Submission
    /// What its call costs in units of its account's limit.
    let cost: Double
    var placement = DispatchCore.Placement.leave

    init(_ submission: Submission, cost: Double) {
        self.submission = submission
        self.cost = cost
    }

    /// Its flight, once it is on disk as it was placed.
    func queued(as id: FlightID) -> QueuedFlight {
        QueuedFlight(
            id: id, lifecycle: submission.flight, request: submission.request, provider: submission.provider,
            cost: cost, triedSince: submission.flight.isExecuting ? submission.createdAt : nil,
            work: submission.fingerprint,
            trace: submission.trace, waitsSince: submission.createdAt)
    }
}
