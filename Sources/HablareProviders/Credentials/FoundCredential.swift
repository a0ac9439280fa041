/// A credential, with whose it is and where it was.
public struct FoundCredential: Sendable, Hashable {
    /// Whose it is.
    public let name: CredentialName
    /// The key with what is known of it.
    public let credential: Credential
    /// Where it was.
    public let source: CredentialSource

    /// Creates a finding.
    public init(_ name: CredentialName, _ credential: Credential, in source: CredentialSource) {
        self.name = name
        self.credential = credential
        self.source = source
    }
}
