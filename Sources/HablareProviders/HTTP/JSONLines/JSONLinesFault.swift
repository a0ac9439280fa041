/// Why lines of JSON cannot be read on.
public enum JSONLinesFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A line has more bytes than it may.
    case lineTooLong(limit: Int)

    /// What is wrong.
    public var description: String {
        switch self {
        case .lineTooLong(let limit): "a line has more than \(limit) bytes"
        }
    }
}
