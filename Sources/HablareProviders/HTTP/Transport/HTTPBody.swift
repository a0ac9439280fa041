public import Foundation
public import Hablare

/// The body of a call.
public enum HTTPBody: Sendable {
    /// No body.
    case none
    /// Bytes in memory.
    case bytes(Data)
    /// A sequence of bodies, some of which may be in content files. The files are read piece by piece while they are
    /// sent, so that a large file is never completely in memory.
    case pieces([Body])

    /// The number of bytes. The number is known without reading a file.
    public var byteCount: Int {
        switch self {
        case .none: 0
        case .bytes(let data): data.count
        case .pieces(let bodies): bodies.reduce(0) { $0 + $1.byteCount }
        }
    }
}
