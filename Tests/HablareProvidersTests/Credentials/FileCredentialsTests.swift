import Foundation
import Hablare
import Testing

@testable import HablareProviders

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The files that are accepted as key files, and those that are refused.
@Suite struct FileCredentialsTests {
    private let folder: KeyFolder
    private let file: FileCredentials
    private let openai: CredentialName

    init() throws {
        folder = try KeyFolder()
        file = FileCredentials(folder.file)
        openai = try CredentialName("openai")
    }

    /// Expects that every operation refuses the file and leaves it unchanged.
    private func expectRefusal(
        _ words: String..., code: AIServiceError.Code = .invalidConfiguration,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let asks: [() throws -> Void] = [
            { _ = try file.credential(named: openai) }, { _ = try file.list() },
            { try file.set(.numbered(9), for: openai) }, { _ = try file.delete(openai) },
        ]
        for (number, ask) in asks.enumerated() {
            let error = #expect(throws: AIServiceError.self, "\(number)", sourceLocation: sourceLocation) { try ask() }
            #expect(error?.code == code, "\(number)", sourceLocation: sourceLocation)
            for word in words {
                #expect(
                    error?.message.contains(word) == true, "\(number): \(error?.message ?? "")",
                    sourceLocation: sourceLocation)
            }
        }
    }

    @Test func `The file and its folder are made for their owner alone`() throws {
        try file.set(.numbered(1), for: openai)
        #expect(try folder.mode(folder.file) == 0o600)
        #expect(try folder.mode(folder.folder) == 0o700)
        #expect(try folder.names() == [".credentials.json.lock", "credentials.json"])
        #expect(try folder.mode(folder.folder.appending(path: ".credentials.json.lock")) == 0o600)
    }

    @Test func `Folders above are made, too`() throws {
        let deep = FileCredentials(folder.url.appending(path: "a/b/c/credentials.json"))
        try deep.set(.numbered(1), for: openai)
        #expect(try deep.credential(named: openai)?.credential == .numbered(1))
        #expect(try folder.mode(folder.url.appending(path: "a/b")) == 0o700)
    }

    @Test func `Looking makes nothing`() throws {
        #expect(try file.list().isEmpty)
        #expect(try file.delete(openai) == nil)
        #expect(!FileManager.default.fileExists(atPath: folder.folder.path))
    }

    @Test(arguments: [0o644, 0o640, 0o620, 0o604, 0o606, 0o610, 0o666, 0o777])
    func `A file that others may use is refused with the command that closes it`(mode: Int) throws {
        try file.set(.numbered(1), for: openai)
        let before = try Data(contentsOf: folder.file)
        try folder.setMode(mode, folder.file)
        expectRefusal("chmod 600 '\(folder.file.path)'", "mode 0\(String(mode, radix: 8))")
        #expect(try Data(contentsOf: folder.file) == before)
        #expect(try folder.mode(folder.file) == mode)
        try folder.setMode(0o600, folder.file)
        #expect(try file.credential(named: openai)?.credential == .numbered(1))
    }

    @Test(arguments: [0o770, 0o702, 0o777, 0o720])
    func `A folder in which others may write is refused`(mode: Int) throws {
        try file.set(.numbered(1), for: openai)
        try folder.setMode(mode, folder.folder)
        expectRefusal("chmod go-w '\(folder.folder.path)'", "mode 0\(String(mode, radix: 8))")
    }

    @Test func `A folder that others may look into does no harm`() throws {
        try FileManager.default.createDirectory(at: folder.folder, withIntermediateDirectories: true)
        try folder.setMode(0o755, folder.folder)
        try file.set(.numbered(1), for: openai)
        #expect(try file.list().count == 1)
        #expect(try folder.mode(folder.folder) == 0o755)
    }

    @Test func `A symbolic link is refused, wherever it leads`() throws {
        try file.set(.numbered(1), for: openai)
        let target = folder.url.appending(path: "elsewhere.json")
        try FileManager.default.moveItem(at: folder.file, to: target)
        let before = try Data(contentsOf: target)
        try FileManager.default.createSymbolicLink(at: folder.file, withDestinationURL: target)
        expectRefusal("is a symbolic link")
        #expect(try Data(contentsOf: target) == before)
        try FileManager.default.removeItem(at: target)
        expectRefusal("is a symbolic link")
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    @Test func `A link in the place of the lock, or of the temporary file, leads nowhere`() throws {
        try file.set(.numbered(1), for: openai)
        let victim = folder.url.appending(path: "victim")
        try Data("precious".utf8).write(to: victim)
        let partial = folder.folder.appending(path: ".credentials.json.partial")
        try FileManager.default.createSymbolicLink(at: partial, withDestinationURL: victim)
        try file.set(.numbered(2), for: openai)
        #expect(try Data(contentsOf: victim) == Data("precious".utf8))
        let lock = folder.folder.appending(path: ".credentials.json.lock")
        try FileManager.default.removeItem(at: lock)
        try FileManager.default.createSymbolicLink(at: lock, withDestinationURL: victim)
        let error = #expect(throws: AIServiceError.self) { try file.set(.numbered(3), for: openai) }
        #expect(error?.message.contains("is a symbolic link") == true)
        #expect(try file.credential(named: openai)?.credential == .numbered(2))
    }

    @Test func `A folder of the file's name, or a pipe, is refused and not waited for`() throws {
        try FileManager.default.createDirectory(at: folder.file, withIntermediateDirectories: true)
        try folder.setMode(0o700, folder.folder)
        expectRefusal("is a folder")
        try FileManager.default.removeItem(at: folder.file)
        #expect(mkfifo(folder.file.path, 0o600) == 0)
        expectRefusal("is a pipe or a device")
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func `A file or a folder that is somebody else's is refused`() throws {
        try file.set(.numbered(1), for: openai)
        #expect(chown(folder.file.path, 12_345, 12_345) == 0)
        expectRefusal("belongs to user 12345", "chown 0 '\(folder.file.path)'")
        #expect(chown(folder.file.path, 0, 0) == 0)
        #expect(chown(folder.folder.path, 12_345, 12_345) == 0)
        expectRefusal("belongs to user 12345", "chown 0 '\(folder.folder.path)'")
    }

    @Test func `A file in the place of the folder is said to be in the way`() throws {
        try Data().write(to: folder.folder)
        expectRefusal("a file is in its place")
    }

    @Test func `A link to nothing in the place of the folder is an error, and no success`() throws {
        try FileManager.default.createSymbolicLink(
            at: folder.folder, withDestinationURL: folder.url.appending(path: "nowhere"))
        #expect(throws: AIServiceError.self) { try file.set(.numbered(1), for: openai) }
    }

    @Test func `The folder itself may be reached by a link`() throws {
        let real = folder.url.appending(path: "real", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: folder.folder, withDestinationURL: real)
        try file.set(.numbered(1), for: openai)
        #expect(try FileCredentials(real.appending(path: "credentials.json")).list().count == 1)
    }

    @Test(arguments: ["", "{", "{\"version\": 1}", "gorgonzola"])
    func `A file that is not understood is never overwritten`(content: String) throws {
        try file.set(.numbered(1), for: openai)
        try Data(content.utf8).write(to: folder.file)
        try folder.setMode(0o600, folder.file)
        expectRefusal("is invalid", code: .storageCorrupt)
        #expect(try Data(contentsOf: folder.file) == Data(content.utf8))
    }

    @Test func `A file of a newer version, or of no size for keys, is never overwritten`() throws {
        try file.set(.numbered(1), for: openai)
        try Data(#"{"version": 99}"#.utf8).write(to: folder.file)
        expectRefusal("newer version", code: .storageTooNew)
        try Data(repeating: 0x20, count: CredentialsDocument.maximumBytes + 1).write(to: folder.file)
        expectRefusal("more than", code: .storageCorrupt)
    }
}
