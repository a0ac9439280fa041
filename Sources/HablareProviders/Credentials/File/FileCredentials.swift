public import Foundation
public import Hablare
import HablareFiles

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Keys in a file that only its owner may read: `credentials.json` in the configuration folder.
///
/// A change replaces the whole file, and the file is durable when the call returns. If two processes change the file at
/// once, both changes are kept. The store refuses these files:
///
/// - a file that other users may read or write;
/// - a file that belongs to another user;
/// - a symbolic link;
/// - a file that cannot be parsed.
///
/// The store does not overwrite a refused file.
///
/// The keys are in plain text. Any process of this user can read them. The vendors' own tools also store their keys in
/// plain text.
public struct FileCredentials: CredentialStore {
    /// The file's name in a configuration folder.
    public static let usualName = "credentials.json"

    /// The file's URL. The file may not exist.
    public let url: URL
    private let calls: CredentialFileCalls

    /// Creates a store for a file, without reading or creating it.
    public init(_ url: URL) {
        self.init(url, calls: .system)
    }

    init(_ url: URL, calls: CredentialFileCalls) {
        // An absolute URL does not depend on the working directory.
        self.url = url.absoluteURL.standardizedFileURL
        self.calls = calls
    }

    /// The file's path.
    public var source: CredentialSource { .file(url.path) }
    /// Always `false`.
    public var isReadOnly: Bool { false }

    /// Returns the credential in the file. Returns `nil` if there is no such credential or no file.
    public func credential(named name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        try document().credentials[name].map { FoundCredential(name, $0, in: source) }
    }

    /// Returns the credentials in the file. Returns an empty array if there is no file.
    public func list() throws(AIServiceError) -> [FoundCredential] {
        try document().credentials.sorted { $0.key < $1.key }.map { FoundCredential($0.key, $0.value, in: source) }
    }

    /// Writes a credential into the file. Creates a missing file with mode `0600` and a missing folder with mode
    /// `0700`.
    public func set(_ credential: Credential, for name: CredentialName) throws(AIServiceError) {
        _ = try change(creating: true) { $0.updateValue(credential, forKey: name) ?? credential }
    }

    /// Removes a credential from the file.
    public func delete(_ name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        try change(creating: false) { $0.removeValue(forKey: name) }.map { FoundCredential(name, $0, in: source) }
    }

    private var folder: String { url.deletingLastPathComponent().path }
    private var name: String { url.lastPathComponent }

    private func document() throws(AIServiceError) -> CredentialsDocument {
        guard let folder = try CredentialsFolder.opened(folder, creates: false, calls) else {
            return CredentialsDocument()
        }
        return try document(in: folder)
    }

    private func document(in folder: borrowing CredentialsFolder) throws(AIServiceError) -> CredentialsDocument {
        guard let json = try folder.read(name, atMost: CredentialsDocument.maximumBytes) else {
            return CredentialsDocument()
        }
        return try CredentialsDocument(json: json, path: url.path)
    }

    /// Reads the file, changes its content and writes it, while holding the lock.
    ///
    /// - Parameter body: A closure that changes the credentials. If the closure returns `nil`, nothing is written.
    private func change(
        creating: Bool, _ body: (inout [CredentialName: Credential]) -> Credential?
    ) throws(AIServiceError) -> Credential? {
        guard let folder = try CredentialsFolder.opened(folder, creates: creating, calls) else {
            // The folder's name may be a symbolic link whose target does not exist.
            if creating { throw AIServiceError(ofKeys: FileFailure(ENOENT, doing: .write, to: url.path)) }
            return nil
        }
        return try folder.locked(by: ".\(name).lock") { () throws(AIServiceError) in
            var document = try document(in: folder)
            guard let result = body(&document.credentials) else { return nil }
            try folder.replace(name, with: document.json())
            return result
        }
    }
}
