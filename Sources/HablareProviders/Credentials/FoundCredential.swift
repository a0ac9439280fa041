/// A credential with its name and its source.
public struct FoundCredential: Sendable, Hashable {
    /// The credential's name.
    public let name: CredentialName
    /// The key with its dates.
    public let credential: Credential
    /// The place where the credential was found.
    public let source: CredentialSource

    /// Creates a found credential.
    public init(_ name: CredentialName, _ credential: Credential, in source: CredentialSource) {
        self.name = name
        self.credential = credential
        self.source = source
    }
}
