public import Hablare

/// Where keys are: the environment, a file, a keychain.
///
/// The calls return at once or after a few accesses to a disk; they are not cancelled. An error never has a key in it.
/// A store gives what it has: whether a key's time is over is judged by ``CredentialChain``.
public protocol CredentialStore: Sendable {
    /// What it is called where somebody is told about it.
    var source: CredentialSource { get }

    /// Whether keys cannot be stored in it, nor deleted.
    var isReadOnly: Bool { get }

    /// The credential of a name; `nil` where there is none.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` when the store, or what it has under the name, cannot be used.
    func credential(named name: CredentialName) throws(AIServiceError) -> FoundCredential?

    /// All credentials, in the order of their names.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` when the store, or one of them, cannot be used.
    func list() throws(AIServiceError) -> [FoundCredential]

    /// Stores a credential, in place of one of the same name. When it returns, it is as durable as the store is.
    ///
    /// - Throws: ``/Hablare/AIServiceError``; what was there is untouched then.
    func set(_ credential: Credential, for name: CredentialName) throws(AIServiceError)

    /// Removes a credential.
    ///
    /// - Returns: What was removed; `nil` where there was none.
    /// - Throws: ``/Hablare/AIServiceError``; what was there is untouched then.
    func delete(_ name: CredentialName) throws(AIServiceError) -> FoundCredential?
}

extension CredentialStore {
    /// The error of a store that cannot be written.
    package func readOnlyRefusal() -> AIServiceError {
        AIServiceError(
            .invalidState, "Keys cannot be stored in \(source), nor deleted from it. Change it where it is set.")
    }
}
