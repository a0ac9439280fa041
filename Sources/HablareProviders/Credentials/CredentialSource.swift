/// Where a credential was found.
public struct CredentialSource: Sendable, Hashable, CustomStringConvertible {
    /// The kind of place: `environment`, `file`, `keychain`, `memory`, or a store's own word.
    public let kind: String
    /// Which one of the kind: a variable's name, a path; `nil` where there is one only.
    public let place: String?

    /// Creates a source.
    public init(kind: String, place: String? = nil) {
        self.kind = kind
        self.place = place
    }

    /// An environment variable.
    public static func environment(_ variable: String) -> CredentialSource {
        CredentialSource(kind: "environment", place: variable)
    }
    /// A file.
    public static func file(_ path: String) -> CredentialSource { CredentialSource(kind: "file", place: path) }
    /// The platform's keychain.
    public static let keychain = CredentialSource(kind: "keychain")
    /// The memory of the process.
    public static let memory = CredentialSource(kind: "memory")

    /// As a sentence has it: `the environment variable OPENAI_API_KEY`.
    public var description: String {
        switch (kind, place) {
        case ("environment", let variable?): "the environment variable \(variable)"
        case ("file", let path?): path
        case (_, let place?): "the \(kind) \(place)"
        case (_, nil): "the \(kind)"
        }
    }
}
