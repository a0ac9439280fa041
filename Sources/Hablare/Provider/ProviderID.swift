/// The name under which a provider is registered: `espeak-ng`, `openai` …
public struct ProviderID: Sendable, Hashable, Codable, RawRepresentable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name's text.
    public let rawValue: String
    /// Creates a name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a name from a literal.
    public init(stringLiteral value: String) { rawValue = value }
    /// The name's text.
    public var description: String { rawValue }
}

/// What a provider *is*, for the fingerprint: its kind and base URL, or its kind and executable.
///
/// Two providers registered under different ids that are the same instance give the same answers; one id pointed at
/// another server does not.
public struct ProviderInstance: Sendable, Hashable, RawRepresentable {
    /// The instance's text.
    public let rawValue: String
    /// Creates an instance name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates an instance name of a kind at a place, such as `command` and `/usr/bin/espeak-ng`.
    public init(kind: String, location: String) { rawValue = "\(kind):\(location)" }
}
