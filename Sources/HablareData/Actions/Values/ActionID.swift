public import Foundation

/// The id of an action. It is valid from the action's acknowledgement on, also across restarts.
public struct ActionID: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
    /// The UUID.
    public let rawValue: UUID
    /// Creates an id from a UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
    /// The UUID's text.
    public var description: String { rawValue.uuidString }
}
