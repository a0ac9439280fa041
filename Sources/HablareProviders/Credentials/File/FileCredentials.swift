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
/// The file is replaced as a whole, and is on the disk when a call returns; two processes that change it at once both
/// succeed. A file that others may read or write, that belongs to somebody else, or to which a symbolic link leads, is
/// refused, and so is one that is not understood: neither is read or overwritten.
///
/// The keys are in the clear, as they are in the files of the vendors' own tools: whoever can read as this user has
/// them.
public struct FileCredentials: CredentialStore {
    /// The name that the file has in a configuration folder.
    public static let usualName = "credentials.json"

    /// Where the file is, if it is there.
    public let url: URL
    private let calls: CredentialFileCalls

    /// Names a file. Nothing is read or made yet.
    public init(_ url: URL) {
        self.init(url, calls: .system)
    }

    init(_ url: URL, calls: CredentialFileCalls) {
        // Absolute, so that a change of the working directory changes nothing.
        self.url = url.absoluteURL.standardizedFileURL
        self.calls = calls
    }

    /// The file.
    public var source: CredentialSource { .file(url.path) }
    /// Never.
    public var isReadOnly: Bool { false }

    /// What the file has; `nil` also where there is no file.
    public func credential(named name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        try document().credentials[name].map { FoundCredential(name, $0, in: source) }
    }

    /// What the file has; nothing where there is none.
    public func list() throws(AIServiceError) -> [FoundCredential] {
        try document().credentials.sorted { $0.key < $1.key }.map { FoundCredential($0.key, $0.value, in: source) }
    }

    /// Writes a credential into the file, and makes the file and its folder where they are missing (`0600` and `0700`).
    public func set(_ credential: Credential, for name: CredentialName) throws(AIServiceError) {
        _ = try change(creating: true) { $0.updateValue(credential, forKey: name) ?? credential }
    }

    /// Takes a credential out of the file.
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

    /// Changes what the file has, from what it has now; nobody else does meanwhile.
    ///
    /// - Parameter body: Answers with `nil` where it has changed nothing; then nothing is written.
    private func change(
        creating: Bool, _ body: (inout [CredentialName: Credential]) -> Credential?
    ) throws(AIServiceError) -> Credential? {
        guard let folder = try CredentialsFolder.opened(folder, creates: creating, calls) else {
            // A symbolic link can have the folder's name and lead nowhere.
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
