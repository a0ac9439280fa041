public import Hablare

/// Keys in environment variables: `HABLARE_OPENAI_KEY`, then `OPENAI_API_KEY`. Read only.
///
/// Each service has a variable of ours, `HABLARE_SERVICE_KEY` with the service's name in capitals and underscores for
/// hyphens, which comes before those that the vendors' own software reads. An empty variable counts as none. Labelled
/// accounts have no variables.
public struct EnvironmentCredentials: CredentialStore {
    private let environment: [String: String]

    /// Takes the variables, as they are now.
    public init(_ environment: [String: String]) {
        self.environment = environment
    }

    /// The environment.
    public var source: CredentialSource { CredentialSource(kind: "environment") }
    /// Always.
    public var isReadOnly: Bool { true }

    /// The first variable of the name that has something in it.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration``, with the variable's name, where that is no key.
    public func credential(named name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        for variable in name.variables {
            guard let value = environment[variable], value.contains(where: { !$0.isWhitespace }) else { continue }
            do throws(AIServiceError) {
                return FoundCredential(name, Credential(try APIKey(value)), in: .environment(variable))
            } catch {
                throw AIServiceError(.invalidConfiguration, "In the environment variable \(variable): \(error.message)")
            }
        }
        return nil
    }

    /// What the variables of services that ship have, and all of ours.
    public func list() throws(AIServiceError) -> [FoundCredential] {
        var found: [FoundCredential] = []
        for name in names {
            if let credential = try credential(named: name) { found.append(credential) }
        }
        return found
    }

    private var names: [CredentialName] {
        let own = environment.keys.compactMap { CredentialName(ownVariable: $0) }
        // Their names are as they should be.
        let known = KnownService.all.compactMap { CredentialName(ownVariable: "HABLARE_\($0.id.uppercased())_KEY") }
        return Set(own + known).sorted()
    }

    /// Never succeeds.
    public func set(_ credential: Credential, for name: CredentialName) throws(AIServiceError) {
        throw readOnlyRefusal()
    }

    /// Never succeeds.
    public func delete(_ name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        throw readOnlyRefusal()
    }
}

extension EnvironmentCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Its name, without what the variables have.
    public var description: String { "\(source)" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Nothing: the variables have keys, and whatever else is secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
