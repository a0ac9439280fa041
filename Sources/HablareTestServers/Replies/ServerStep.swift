package import Foundation

/// A step of a reply's body.
package enum ServerStep: Sendable {
    /// Bytes that the server sends in one piece.
    case piece(Data)
    /// Waits until a gate opens or the client leaves.
    case wait(Gate)
    /// Opens a gate, after the preceding bytes were passed to the system.
    case open(Gate)
    /// Sends bytes one by one, with an interval between them. Use it only in tests that may take time.
    case drip(Data, every: Duration)
    /// Sends nothing more, until the client leaves or the server stops.
    case hang
    /// Ends the connection.
    case cut(ConnectionCut)

    /// Returns a step that sends a text in one piece.
    package static func piece(_ text: String) -> Self { .piece(Data(text.utf8)) }
}

/// The way in which a server ends a connection.
package enum ConnectionCut: Sendable, Hashable, CaseIterable {
    /// A normal end (FIN). The client gets everything that was sent before.
    case finish
    /// A reset (RST), as from a failing machine. The client may lose the last bytes before the reset. If a test needs
    /// these bytes, let the client confirm them with a gate before the reset.
    case reset
}
