/// What a process is there for. It claims nothing else, so that generating one line never resumes, and bills,
/// yesterday's book.
public enum ClaimScope: Sendable, Hashable {
    /// Whatever waits for the providers that are registered in this process.
    case everything
    /// One job.
    case job(JobKey)
}

/// A wish for work.
public struct ClaimQuery: Sendable, Hashable {
    /// Who asks.
    public var owner: OwnerID
    /// For which provider.
    public var provider: ProviderID
    /// Within this scope.
    public var scope: ClaimScope
    /// At most so many, at least 1.
    public var limit: Int

    /// Creates a query.
    public init(owner: OwnerID, provider: ProviderID, scope: ClaimScope, limit: Int) {
        self.owner = owner
        self.provider = provider
        self.scope = scope
        self.limit = limit
    }
}

/// A flight that was taken.
public struct ClaimedFlight: Sendable {
    /// Its id.
    public var id: FlightID
    /// Its life after the lease.
    public var lifecycle: FlightLifecycle
    /// Its member.
    public var request: AIRequest
    /// Why it cannot be sent, when its prompt cannot be read: the attempt fails with this.
    public var failure: AIServiceError?

    /// Creates a claimed flight.
    public init(id: FlightID, lifecycle: FlightLifecycle, request: AIRequest, failure: AIServiceError? = nil) {
        self.id = id
        self.lifecycle = lifecycle
        self.request = request
        self.failure = failure
    }
}
