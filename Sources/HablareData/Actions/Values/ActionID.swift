public import Foundation

/// The id of an action, valid from its acknowledgement on and across restarts.
public struct ActionID: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
    /// The UUID.
    public let rawValue: UUID
    /// Creates an id from a UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
    /// The UUID's text.
    public var description: String { rawValue.uuidString }
}
