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

/// The identity of a provider in fingerprints: the provider's kind, and the base URL or the executable.
///
/// Providers with the same instance count as the same provider, even if their ids differ: an answer of one may be used
/// for the other. If you register a provider with another address under the same id, its instance is different.
public struct ProviderInstance: Sendable, Hashable, RawRepresentable {
    /// The text of the instance.
    public let rawValue: String
    /// Creates an instance name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates an instance name from a kind and a location, such as `command` and `/usr/bin/espeak-ng`.
    public init(kind: String, location: String) { rawValue = "\(kind):\(location)" }
}
