public import Foundation

/// A key with what is known of it. Shows the key only as ``APIKey/shown``.
public struct Credential: Sendable, Hashable {
    /// The key.
    public let key: APIKey
    /// When it ends; `nil` where nobody said that it does.
    public let expires: Date?
    /// When it was stored; `nil` where it was not, as in the environment.
    public let stored: Date?

    /// Creates a credential.
    public init(_ key: APIKey, expires: Date? = nil, stored: Date? = nil) {
        self.key = key
        self.expires = expires
        self.stored = stored
    }

    /// Whether its time is over.
    public func isExpired(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }
}
