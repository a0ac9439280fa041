public import Hablare

/// A running service that simulates a behaviour (``ServicePlay``), with the provider that calls this service. Calls
/// have numbers from 0, in the order in which they arrive at the service.
public protocol ProviderScene: Sendable {
    /// The provider under test.
    var provider: any AIServiceProvider { get }

    /// The number of calls that have arrived at the service.
    var callCount: Int { get }

    /// Waits until at least `count` calls have arrived. The wait ends early if the task is cancelled.
    func calls(reach count: Int) async

    /// Waits until the service has sent the part of an answer that comes before the pause (``ServicePlay/pauses``). The
    /// wait ends early if the task is cancelled.
    func pause(ofCall number: Int) async

    /// Waits until a call has ended on the service's side, and returns how it ended. If the task is cancelled, the
    /// result does not matter.
    func ending(ofCall number: Int) async -> CallEnding

    /// Stops the service. All waits for the service must then end, even a wait of a provider that ignores cancellation.
    /// The contract calls this method if a rule has waited too long.
    func end() async
}

/// The way in which a call ended, from the service's point of view.
public struct CallEnding: Sendable, Hashable {
    /// Whether the client closed the connection, or stopped the program, before the service had sent the whole answer.
    public let wasLeft: Bool
    /// The approximate number of bytes of the answer that the service sent, or `nil` if it is not known.
    public let byteCount: Int?

    /// Creates an ending.
    public init(wasLeft: Bool, byteCount: Int? = nil) {
        self.wasLeft = wasLeft
        self.byteCount = byteCount
    }
}
