/// The name under which a provider is registered, such as `espeak-ng` or `openai`.
public struct ProviderID: Sendable, Hashable, Codable, RawRepresentable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The text of the name.
    public let rawValue: String
    /// Creates a name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a name from a literal.
    public init(stringLiteral value: String) { rawValue = value }
    /// The text of the name.
    public var description: String { rawValue }
}

/// The identity of a provider for the fingerprint: its kind and base URL, or its kind and executable.
///
/// Two providers with the same instance give the same answers, even if their ids differ. If you register another server
/// under the same id, the instance changes.
public struct ProviderInstance: Sendable, Hashable, RawRepresentable {
    /// The text of the instance.
    public let rawValue: String
    /// Creates an instance name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates an instance name from a kind and a location, such as `command` and `/usr/bin/espeak-ng`.
    public init(kind: String, location: String) { rawValue = "\(kind):\(location)" }
}
