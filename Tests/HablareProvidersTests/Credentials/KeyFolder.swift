import Foundation
import Hablare

@testable import HablareProviders

/// A folder of its own for a test, with a space in its name, and what stands in it.
final class KeyFolder: Sendable {
    let url: URL
    /// The file of keys, in a folder that is not there yet.
    var file: URL { folder.appending(path: FileCredentials.usualName) }
    var folder: URL { url.appending(path: "hablare", directoryHint: .isDirectory) }

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "hablare keys \(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A folder that stays in the temporary directory harms nobody.
        do { try FileManager.default.removeItem(at: url) } catch {}
    }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

    /// The permissions, as `ls` has them in octal.
    func mode(_ file: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    func setMode(_ mode: Int, _ file: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    }
}

extension Credential {
    /// A key that ends in a number, stored at a whole second.
    static func numbered(_ number: Int, expires: Date? = nil) throws -> Credential {
        Credential(
            try APIKey("sk-gorgonzola-\(100_000 + number)"), expires: expires,
            stored: Date(timeIntervalSince1970: 1_800_000_000))
    }
}
