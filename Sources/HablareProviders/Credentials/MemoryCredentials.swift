public import Hablare

/// Keys in memory, gone with the process: for tests, and for an app that gets its keys from elsewhere.
public final class MemoryCredentials: CredentialStore {
    private let credentials = Guarded<[CredentialName: Credential]>([:])

    /// Creates a store without keys.
    public init() {}

    /// The memory of the process.
    public var source: CredentialSource { .memory }
    /// Never.
    public var isReadOnly: Bool { false }

    /// What was set.
    public func credential(named name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        credentials.withLock { $0[name] }.map { FoundCredential(name, $0, in: source) }
    }

    /// What was set.
    public func list() throws(AIServiceError) -> [FoundCredential] {
        credentials.withLock { $0 }.sorted { $0.key < $1.key }.map { FoundCredential($0.key, $0.value, in: source) }
    }

    /// Keeps a credential.
    public func set(_ credential: Credential, for name: CredentialName) throws(AIServiceError) {
        credentials.withLock { $0[name] = credential }
    }

    /// Forgets a credential.
    public func delete(_ name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        credentials.withLock { $0.removeValue(forKey: name) }.map { FoundCredential(name, $0, in: source) }
    }
}
