public import Hablare

/// A service that plays, and the provider that talks to it. Calls are counted from 0, in the order in which they come to the
/// service.
public protocol ProviderScene: Sendable {
    /// The provider that is tried.
    var provider: any AIServiceProvider { get }

    /// How many calls have come so far.
    var callCount: Int { get }

    /// Waits until so many calls have come. Ends early when the task is cancelled.
    func calls(reach count: Int) async

    /// Waits until the service has said of a call's answer what it says before a pause (``ServicePlay/pauses``). Ends early
    /// when the task is cancelled.
    func pause(ofCall number: Int) async

    /// Waits until a call is over for the service, and says how it was. Where the task is cancelled it may say anything.
    func ending(ofCall number: Int) async -> CallEnding

    /// Ends the service: whoever waits for it must come to an end, also who does not listen to cancellation. Called where a
    /// rule was broken by waiting.
    func end() async
}

/// How a call ended, as its service saw it.
public struct CallEnding: Sendable, Hashable {
    /// Whether the client left, or ended the program, before the service had said all it had to say.
    public let wasLeft: Bool
    /// How many bytes of the answer the service got rid of, about; `nil` where nobody knows.
    public let byteCount: Int?

    /// Creates an ending.
    public init(wasLeft: Bool, byteCount: Int? = nil) {
        self.wasLeft = wasLeft
        self.byteCount = byteCount
    }
}
