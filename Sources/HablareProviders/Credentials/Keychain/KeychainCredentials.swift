#if canImport(Security)
import Foundation
public import Hablare
import Security

/// A store of the keys in the keychain of an Apple platform. The keys are generic passwords with one service name.
///
/// The items are available after the first unlock of the device. They stay on the device and are not synchronised. An
/// item's account is the credential's name, such as `openai` or `openai/work`. An item's value is the key with its
/// dates.
public struct KeychainCredentials: CredentialStore {
    /// The service name that the command `hablare` uses for its own items.
    public static let usualService = "hablare"

    private let service: String

    /// Creates a store for the items with a service name.
    ///
    /// - Parameter service: The service name. It separates these items from the items of other programs. Default:
    ///   ``usualService``.
    public init(service: String = usualService) {
        self.service = service
    }

    /// The keychain.
    public var source: CredentialSource { .keychain }
    /// Always `false`.
    public var isReadOnly: Bool { false }

    /// Returns the credential in the name's item.
    public func credential(named name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        var query = item(name)
        query[kSecReturnData] = true
        query[kSecMatchLimit] = kSecMatchLimitOne
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status != errSecItemNotFound else { return nil }
        guard status == errSecSuccess, let data = result as? Data else { throw failure(status, "read") }
        let document = try CredentialsDocument(json: data, path: "The keychain's item for \(name)")
        guard let credential = document.credentials[name] else {
            throw AIServiceError(
                .storageCorrupt, "The keychain's item for \(name) has another name in it. Delete it and store it again."
            )
        }
        return FoundCredential(name, credential, in: source)
    }

    /// Returns the credentials in all items with the service name.
    public func list() throws(AIServiceError) -> [FoundCredential] {
        // Read the names first: a macOS keychain does not return the data of several items at once.
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecReturnAttributes: true,
            kSecMatchLimit: kSecMatchLimitAll,
        ]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status != errSecItemNotFound else { return [] }
        guard status == errSecSuccess, let items = result as? [[String: Any]] else { throw failure(status, "listed") }
        var names: [CredentialName] = []
        for item in items {
            guard let account = item[kSecAttrAccount as String] as? String else { continue }
            let parts = account.split(separator: "/", maxSplits: 1).map(String.init)
            guard let first = parts.first else { continue }
            names.append(try CredentialName(first, account: parts.count > 1 ? parts[1] : nil))
        }
        var found: [FoundCredential] = []
        for name in names.sorted() {
            if let credential = try credential(named: name) { found.append(credential) }
        }
        return found
    }

    /// Adds or updates the item.
    public func set(_ credential: Credential, for name: CredentialName) throws(AIServiceError) {
        var document = CredentialsDocument()
        document.credentials[name] = credential
        let data = try document.json()
        var attributes = item(name)
        attributes[kSecValueData] = data
        attributes[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        var status = SecItemAdd(attributes as CFDictionary, nil)
        if status == errSecDuplicateItem {
            status = SecItemUpdate(item(name) as CFDictionary, [kSecValueData: data] as CFDictionary)
        }
        guard status == errSecSuccess else { throw failure(status, "written") }
    }

    /// Removes the item.
    public func delete(_ name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        guard let found = try credential(named: name) else { return nil }
        let status = SecItemDelete(item(name) as CFDictionary)
        guard status != errSecItemNotFound else { return nil }
        guard status == errSecSuccess else { throw failure(status, "deleted") }
        return found
    }

    private func item(_ name: CredentialName) -> [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service,
            // A label contains no slash, so the name is unambiguous.
            kSecAttrAccount: [name.service, name.account].compactMap { $0 }.joined(separator: "/"),
        ]
    }

    private func failure(_ status: OSStatus, _ participle: String) -> AIServiceError {
        let words = SecCopyErrorMessageString(status, nil) as String?
        return AIServiceError(
            .storageFailed,
            "The keychain could not be \(participle). Unlock it and allow the access, then try again.",
            cause: words ?? "status \(status)")
    }
}
#endif
