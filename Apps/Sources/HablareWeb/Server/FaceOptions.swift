/// The options of a server that its user chooses.
public struct FaceOptions: Sendable {
    /// The address. Default: loopback.
    public var address = FaceAddress.loopback
    /// The port. Default: 0, which takes a free port. With a fixed port, open tabs recover after a restart.
    public var port = 0
    /// The port to take if ``port`` is 0 and this one is free on a loopback address. With the port of the last run, open
    /// tabs usually recover after a restart. Default: 0, which has no preference.
    public var preferredPort = 0
    /// The names besides IP addresses and `localhost` under which clients may reach the server. Only needed with
    /// ``FaceAddress/network(host:password:)``. Default: none.
    public var hostNames: [String] = []
    /// The bounds.
    public var limits = FaceLimits()

    /// Creates the default options.
    public init() {}
}
