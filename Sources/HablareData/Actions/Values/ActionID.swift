public import Foundation

/// Names an action of a queue from its acknowledgement on, over restarts.
public struct ActionID: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
    /// The UUID.
    public let rawValue: UUID
    /// Makes an id of a UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
    /// The UUID's text.
    public var description: String { rawValue.uuidString }
}
