package import Foundation

/// A step of a reply's body.
package enum ServerStep: Sendable {
    /// Bytes, sent at once.
    case piece(Data)
    /// Waits until a gate is opened, or the client leaves.
    case wait(Gate)
    /// Opens a gate, after the bytes before it were handed to the system.
    case open(Gate)
    /// Bytes sent one by one at an interval. For tests that may take time.
    case drip(Data, every: Duration)
    /// Sends nothing more until the client leaves or the server ends.
    case hang
    /// Ends the connection here.
    case cut(ConnectionCut)

    /// Returns a step that sends a text at once.
    package static func piece(_ text: String) -> Self { .piece(Data(text.utf8)) }
}

/// The way in which a server ends a connection.
package enum ConnectionCut: Sendable, Hashable, CaseIterable {
    /// An end in order (FIN): the client gets everything that was sent before.
    case finish
    /// A reset (RST), as from a failing machine. The client may lose the last bytes before it. If that matters, let the
    /// client confirm them with a gate.
    case reset
}
