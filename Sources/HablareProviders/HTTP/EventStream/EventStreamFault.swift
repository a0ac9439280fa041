/// Why a stream of events cannot be read on.
public enum EventStreamFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A line has more bytes than it may.
    case lineTooLong(limit: Int)
    /// An event has more bytes of data than it may.
    case eventTooLong(limit: Int)

    /// What is wrong.
    public var description: String {
        switch self {
        case .lineTooLong(let limit): "a line has more than \(limit) bytes"
        case .eventTooLong(let limit): "an event has more than \(limit) bytes"
        }
    }
}
