import Foundation
import HablareFiles
import HablareTestFiles
import Testing

@Suite("Replacing files") struct ReplacingFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.url.path + "/file" }

    init() throws { folder = try TemporaryFolder() }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.url.path) }

    @Test(
        "The file has its name and all of its bytes after the commit, and not before",
        arguments: [0, 1, 65_536, 200_000])
    func committed(count: Int) throws {
        let bytes = (0..<count).map { UInt8($0 & 255) }
        let file = try ReplacingFile(path)
        for start in stride(from: 0, to: count, by: 1_000) { try file.write(bytes[start..<min(start + 1_000, count)]) }
        #expect(!FileManager.default.fileExists(atPath: path))
        try file.commit()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes))
        #expect(try names() == ["file"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
    }

    @Test("The file replaces the former file at once, or leaves it and is removed")
    func replaced() throws {
        try Data("before".utf8).write(to: URL(fileURLWithPath: path))
        do {
            let file = try ReplacingFile(path)
            try file.write("half".utf8)
            #expect(try names().count == 2)
        }
        #expect(try names() == ["file"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "before")
        let file = try ReplacingFile(path)
        try file.write("after".utf8)
        try file.commit()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "after")
    }

    @Test("The file may have the longest possible name, in any script")
    func longName() throws {
        let name = String(repeating: "\u{9EDE}", count: 85)
        let file = try ReplacingFile(folder.url.path + "/" + name)
        try file.commit()
        #expect(try names() == [name])
    }

    @Test("A file that cannot be created or renamed is a failure of the file system")
    func failing() throws {
        let nowhere = folder.url.path + "/none/file"
        #expect(throws: FileFailure(ENOENT, doing: .make, to: nowhere)) { try ReplacingFile(nowhere) }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let file = try ReplacingFile(path)
        #expect(throws: FileFailure(EISDIR, doing: .rename, to: path)) { try file.commit() }
    }
}
