public import Hablare

/// A service that simulates a behaviour (``ServicePlay``), and the provider that calls the service. Calls are counted
/// from 0, in the order of their arrival at the service.
public protocol ProviderScene: Sendable {
    /// The provider under test.
    var provider: any AIServiceProvider { get }

    /// The number of calls so far.
    var callCount: Int { get }

    /// Waits until at least `count` calls have arrived. Ends early when the task is cancelled.
    func calls(reach count: Int) async

    /// Waits until the service has sent the part of a call's answer that comes before a pause (``ServicePlay/pauses``).
    /// Ends early when the task is cancelled.
    func pause(ofCall number: Int) async

    /// Waits until a call has ended for the service, and returns its ending. If the task is cancelled, it may return
    /// any ending.
    func ending(ofCall number: Int) async -> CallEnding

    /// Ends the service. Every wait for the service must then end, even a wait that ignores cancellation. The contract
    /// calls this method when a wait took too long.
    func end() async
}

/// The end of a call, as the service sees it.
public struct CallEnding: Sendable, Hashable {
    /// Whether the client closed the connection, or ended the program, before the service had sent the whole answer.
    public let wasLeft: Bool
    /// The approximate number of bytes of the answer that the service sent, or `nil` if unknown.
    public let byteCount: Int?

    /// Creates an ending.
    public init(wasLeft: Bool, byteCount: Int? = nil) {
        self.wasLeft = wasLeft
        self.byteCount = byteCount
    }
}
