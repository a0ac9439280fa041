public import Hablare
import HablareSupport

/// A store of keys in memory, which are lost when the process ends. Use it for tests, and for apps that keep their keys
/// elsewhere.
public final class MemoryCredentials: CredentialStore {
    private let credentials = Locked<[CredentialName: Credential]>([:])

    /// Creates a store without keys.
    public init() {}

    /// The memory of the process.
    public var source: CredentialSource { .memory }
    /// Always `false`.
    public var isReadOnly: Bool { false }

    /// Returns the credential that was set for the name.
    public func credential(named name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        credentials.withLock { $0[name] }.map { FoundCredential(name, $0, in: source) }
    }

    /// Returns all credentials that were set.
    public func list() throws(AIServiceError) -> [FoundCredential] {
        credentials.withLock { $0 }.sorted { $0.key < $1.key }.map { FoundCredential($0.key, $0.value, in: source) }
    }

    /// Keeps a credential in memory.
    public func set(_ credential: Credential, for name: CredentialName) throws(AIServiceError) {
        credentials.withLock { $0[name] = credential }
    }

    /// Removes a credential.
    public func delete(_ name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        credentials.withLock { $0.removeValue(forKey: name) }.map { FoundCredential(name, $0, in: source) }
    }
}
