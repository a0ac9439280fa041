/// How an engine behaves. Every option has a default that suits an app.
public struct EngineConfiguration: Sendable, Hashable {
    /// What this process is there for. Default ``ClaimScope/everything``.
    public var scope: ClaimScope
    /// How long one attempt may take where neither request nor provider says. Default 30 s.
    public var attemptTimeout: Duration
    /// How long a provider may take to come back once its call was cancelled or timed out. After that its place among
    /// the calls under way is given to the next request. Default 5 s.
    public var cancellationGrace: Duration
    /// How long attempts may go on once the engine is told to shut down. Default 10 s.
    public var shutdownGrace: Duration
    /// How often the process says that it lives, and looks for dead ones. Default 5 s.
    public var renewalInterval: Duration
    /// How long a process counts as living after it last said so, if its lock cannot be looked at. Default 30 s.
    public var leaseDuration: Duration
    /// How long responses are kept.
    public var retention: Retention

    /// Creates a configuration.
    public init(
        scope: ClaimScope = .everything,
        attemptTimeout: Duration = .seconds(30),
        cancellationGrace: Duration = .seconds(5),
        shutdownGrace: Duration = .seconds(10),
        renewalInterval: Duration = .seconds(5),
        leaseDuration: Duration = .seconds(30),
        retention: Retention = Retention()
    ) {
        self.scope = scope
        self.attemptTimeout = attemptTimeout
        self.cancellationGrace = cancellationGrace
        self.shutdownGrace = shutdownGrace
        self.renewalInterval = renewalInterval
        self.leaseDuration = leaseDuration
        self.retention = retention
    }
}
