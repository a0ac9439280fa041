public import Foundation

/// A key with its dates. Descriptions show the key only as ``APIKey/shown``.
public struct Credential: Sendable, Hashable {
    /// The key.
    public let key: APIKey
    /// The expiry date; `nil` if the date is unknown or the key does not expire.
    public let expires: Date?
    /// The date at which the credential was stored; `nil` if it was not stored. For example, a key in an environment
    /// variable has no such date.
    public let stored: Date?

    /// Creates a credential.
    public init(_ key: APIKey, expires: Date? = nil, stored: Date? = nil) {
        self.key = key
        self.expires = expires
        self.stored = stored
    }

    /// Returns whether the credential has expired at a date.
    public func isExpired(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }
}
