public import Foundation

/// The id of an action. It is valid from the time when the append returns, even after a restart.
public struct ActionID: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
    /// The UUID.
    public let rawValue: UUID
    /// Creates an id from a UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
    /// The UUID's text.
    public var description: String { rawValue.uuidString }
}
