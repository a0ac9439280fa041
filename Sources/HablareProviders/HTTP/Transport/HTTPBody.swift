public import Foundation
public import Hablare

/// The body of a call.
public enum HTTPBody: Sendable {
    /// No body.
    case none
    /// Bytes in memory.
    case bytes(Data)
    /// A sequence of bodies, of which some are in content files. They are read piece by piece while they are sent, so
    /// that a film is never in memory as a whole.
    case pieces([Body])

    /// The number of bytes. No file is read for it.
    public var byteCount: Int {
        switch self {
        case .none: 0
        case .bytes(let data): data.count
        case .pieces(let bodies): bodies.reduce(0) { $0 + $1.byteCount }
        }
    }
}
