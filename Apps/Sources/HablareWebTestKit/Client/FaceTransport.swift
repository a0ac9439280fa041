/// The way from a test's client to a face.
public enum FaceTransport: Sendable, CaseIterable {
    /// Calls the router directly. Nothing is listened on.
    case router
    /// Sends requests to a server on a free port of this machine.
    case socket
}
