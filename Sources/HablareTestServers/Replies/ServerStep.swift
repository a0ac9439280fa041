package import Foundation

/// One step of the body of a reply.
package enum ServerStep: Sendable {
    /// Bytes, sent at once.
    case piece(Data)
    /// Waits until a gate is opened, or the client leaves.
    case wait(Gate)
    /// Opens a gate: what stands before it was handed over to the system.
    case open(Gate)
    /// Bytes one by one, with so much time between two of them. For tests that may take time.
    case drip(Data, every: Duration)
    /// Says nothing more until the client leaves, or the server is ended.
    case hang
    /// Ends the connection here.
    case cut(ConnectionCut)

    /// A text, sent at once.
    package static func piece(_ text: String) -> Self { .piece(Data(text.utf8)) }
}

/// How a server ends a connection.
package enum ConnectionCut: Sendable, Hashable, CaseIterable {
    /// In order (FIN): the client gets everything that was sent before.
    case finish
    /// By a reset (RST), as where a machine fails. The client may lose what was sent just before: let it confirm that it
    /// has it, by a gate, where that matters.
    case reset
}
