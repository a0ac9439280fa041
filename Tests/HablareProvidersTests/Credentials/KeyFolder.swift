import Foundation
import Hablare

@testable import HablareProviders

/// A test's own folder, with a space in its name, and its content.
final class KeyFolder: Sendable {
    let url: URL
    /// The key file, in a folder that does not exist yet.
    var file: URL { folder.appending(path: FileCredentials.usualName) }
    var folder: URL { url.appending(path: "hablare", directoryHint: .isDirectory) }

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "hablare keys \(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A leftover folder in the temporary directory is harmless.
        do { try FileManager.default.removeItem(at: url) } catch {}
    }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

    /// Returns the permissions as a number.
    func mode(_ file: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    func setMode(_ mode: Int, _ file: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    }
}

extension Credential {
    /// Returns a key that ends in a number, stored at a whole second.
    static func numbered(_ number: Int, expires: Date? = nil) throws -> Credential {
        Credential(
            try APIKey("sk-gorgonzola-\(100_000 + number)"), expires: expires,
            stored: Date(timeIntervalSince1970: 1_800_000_000))
    }
}
