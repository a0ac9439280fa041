public import Foundation
public import Hablare

/// What a call sends.
public enum HTTPBody: Sendable {
    /// Nothing.
    case none
    /// Bytes that are here.
    case bytes(Data)
    /// Bytes of which some are in content files, one after the other. They are read while they are sent, a piece at a
    /// time, so that a film is never in memory.
    case pieces([Body])

    /// How many bytes it has. Reads nothing.
    public var byteCount: Int {
        switch self {
        case .none: 0
        case .bytes(let data): data.count
        case .pieces(let bodies): bodies.reduce(0) { $0 + $1.byteCount }
        }
    }
}
