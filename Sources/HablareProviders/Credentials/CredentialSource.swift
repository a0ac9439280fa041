/// The place where a credential was found.
public struct CredentialSource: Sendable, Hashable, CustomStringConvertible {
    /// The kind of place: `environment`, `file`, `keychain`, `memory`, or a name that a custom store chooses.
    public let kind: String
    /// The variable's name or the file's path; `nil` if the kind has only one place.
    public let location: String?

    /// Creates a source.
    public init(kind: String, location: String? = nil) {
        self.kind = kind
        self.location = location
    }

    /// Returns the source for an environment variable.
    public static func environment(_ variable: String) -> CredentialSource {
        CredentialSource(kind: "environment", location: variable)
    }
    /// Returns the source for a file.
    public static func file(_ path: String) -> CredentialSource { CredentialSource(kind: "file", location: path) }
    /// The platform's keychain.
    public static let keychain = CredentialSource(kind: "keychain")
    /// The memory of the process.
    public static let memory = CredentialSource(kind: "memory")

    /// A phrase for use in a sentence, such as `the environment variable OPENAI_API_KEY`.
    public var description: String {
        switch (kind, location) {
        case ("environment", let variable?): "the environment variable \(variable)"
        case ("file", let path?): path
        case (_, let location?): "the \(kind) \(location)"
        case (_, nil): "the \(kind)"
        }
    }
}
