public import Hablare

/// A read-only store of the keys in environment variables, such as `HABLARE_OPENAI_KEY` and `OPENAI_API_KEY`.
///
/// Each service has a variable `HABLARE_SERVICE_KEY`. Its name contains the service's name in capitals, with
/// underscores in place of hyphens. This variable takes precedence over the variables that the vendor's own software
/// reads. An empty variable counts as missing. There are no variables for names with an account.
public struct EnvironmentCredentials: CredentialStore {
    private let environment: [String: String]

    /// Creates a store from a copy of the environment.
    public init(_ environment: [String: String]) {
        self.environment = environment
    }

    /// The environment.
    public var source: CredentialSource { CredentialSource(kind: "environment") }
    /// Always `true`.
    public var isReadOnly: Bool { true }

    /// Returns the credential from the name's first variable that is not empty.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration``, with the variable's name, if the variable's
    ///   value is not a valid key.
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

    /// Returns the credentials in the known services' variables and in all `HABLARE_…_KEY` variables.
    public func list() throws(AIServiceError) -> [FoundCredential] {
        var found: [FoundCredential] = []
        for name in names {
            if let credential = try credential(named: name) { found.append(credential) }
        }
        return found
    }

    private var names: [CredentialName] {
        let own = environment.keys.compactMap { CredentialName(ownVariable: $0) }
        // These names are valid.
        let known = KnownService.all.compactMap { service in
            CredentialName(ownVariable: "HABLARE_\(service.id.uppercased().replacing("-", with: "_"))_KEY")
        }
        return Set(own + known).sorted()
    }

    /// Always throws an error, because the environment is read-only.
    public func set(_ credential: Credential, for name: CredentialName) throws(AIServiceError) {
        throw readOnlyRefusal()
    }

    /// Always throws an error, because the environment is read-only.
    public func delete(_ name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        throw readOnlyRefusal()
    }
}

extension EnvironmentCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The source's name, without the variables' values.
    public var description: String { "\(source)" }
    /// The same text as ``description``.
    public var debugDescription: String { description }
    /// An empty mirror, because the variables contain keys and other secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
