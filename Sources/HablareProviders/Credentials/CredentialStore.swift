public import Hablare

/// A store of API keys, such as the environment, a file or a keychain.
///
/// The methods return at once or after a few disk accesses, and ignore cancellation. An error never contains a key. A
/// store also returns expired keys: ``CredentialChain`` checks whether a key has expired.
public protocol CredentialStore: Sendable {
    /// The store's name in messages.
    var source: CredentialSource { get }

    /// Whether the store refuses to store and delete keys.
    var isReadOnly: Bool { get }

    /// Returns the credential with a name; `nil` if there is none.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` if the store, or its entry for the name, cannot be used.
    func credential(named name: CredentialName) throws(AIServiceError) -> FoundCredential?

    /// Returns all credentials, ordered by name.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` if the store, or one of the credentials, cannot be used.
    func list() throws(AIServiceError) -> [FoundCredential]

    /// Stores a credential, and replaces an existing credential with the same name. When the method returns, the
    /// credential is stored as durably as this kind of store allows.
    ///
    /// - Throws: ``/Hablare/AIServiceError``. The store's content is then unchanged.
    func set(_ credential: Credential, for name: CredentialName) throws(AIServiceError)

    /// Removes a credential.
    ///
    /// - Returns: The removed credential; `nil` if there was none.
    /// - Throws: ``/Hablare/AIServiceError``. The store's content is then unchanged.
    func delete(_ name: CredentialName) throws(AIServiceError) -> FoundCredential?
}

extension CredentialStore {
    /// Returns the error for a change to a read-only store.
    package func readOnlyRefusal() -> AIServiceError {
        AIServiceError(
            .invalidState, "Keys cannot be stored in \(source) or deleted from it. Change the key where it is set.")
    }
}
