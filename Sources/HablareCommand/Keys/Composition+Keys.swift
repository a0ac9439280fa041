import Foundation
import Hablare
import HablareProviders

extension Composition {
    /// Where keys are: in the environment, then where they are stored.
    var credentials: CredentialChain {
        let stored = XDGFolders(environment: environment).configuration.map { [keyStore($0)] } ?? []
        return CredentialChain([EnvironmentCredentials(environment)] + stored, date: seams.date)
    }

    func writableKeys() throws -> any CredentialStore {
        guard let store = credentials.writable else {
            throw CommandFailure(
                .configuration,
                "Neither XDG_CONFIG_HOME nor HOME is set, so there is no place to store keys in. Set one, or give keys in the environment."
            )
        }
        return store
    }

    /// The platform's own store: the keychain of Apple platforms, elsewhere `credentials.json`.
    static func platformKeys(_ folder: URL) -> any CredentialStore {
        #if canImport(Security)
        KeychainCredentials()
        #else
        FileCredentials(folder.appending(path: FileCredentials.usualName, directoryHint: .notDirectory))
        #endif
    }
}
