import Foundation
import HablareFiles
import HablareTestFiles
import Testing

@Suite struct FileSystemTests {
    @Test("Missing folders and files are created, and existing ones stay unchanged")
    func made() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/a/b c"
        for _ in 0..<2 { try DurableCalls.system.makeFolders(path) }
        for _ in 0..<2 { try FileSystem.makeFile(path + "/file") }
        try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/file"))
        try FileSystem.makeFile(path + "/file")
        #expect(try FileSystem.status(of: path)?.kind == .folder)
        #expect(try FileSystem.size(ofFile: path + "/file") == 1)
        #expect(try FileSystem.status(of: path + "/none") == nil)
    }

    @Test("A path is resolved through links, also to a missing file, and links in a circle are a failure")
    func resolved() throws {
        let folder = try TemporaryFolder()
        let real = try FileSystem.resolved(folder.url.path)
        let manager = FileManager.default
        try DurableCalls.system.makeFolders(real + "/a")
        try manager.createSymbolicLink(atPath: real + "/b", withDestinationPath: "a")
        try manager.createSymbolicLink(atPath: real + "/link", withDestinationPath: "b/file")
        try manager.createSymbolicLink(atPath: real + "/a/again", withDestinationPath: real + "/link")
        for _ in 0..<2 {
            for name in ["a/file", "b/file", "link", "b/again", "a/../b/../link"] {
                let resolved = try FileSystem.resolved("\(real)/\(name)")
                #expect(resolved == "\(real)/a/file", "\(name)")
            }
            try FileSystem.makeFile(real + "/a/file")
        }
        #expect(try FileSystem.resolved("/none") == "/none")
        try manager.createSymbolicLink(atPath: real + "/circle", withDestinationPath: "circle")
        #expect(throws: FileFailure(ELOOP, doing: .resolve, to: real)) { try FileSystem.resolved(real + "/circle") }
        let missing = "\(real)/x"
        #expect(throws: FileFailure(ENOENT, doing: .resolve, to: missing)) {
            try FileSystem.resolved("\(missing)/file")
        }
    }

    @Test("A folder below a file is not created, and the failure names the file")
    func throughFile() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.path + "/file"
        try FileSystem.makeFile(file)
        #expect(throws: FileFailure(ENOTDIR, doing: .makeFolder, to: file)) {
            try DurableCalls.system.makeFolders(file)
        }
        #expect(throws: FileFailure(ENOTDIR, doing: .makeFolder, to: file + "/a")) {
            try DurableCalls.system.makeFolders(file + "/a")
        }
        #expect(throws: FileFailure(ENOTDIR, doing: .look, to: file + "/a")) {
            try FileSystem.status(of: file + "/a")
        }
        #expect(throws: FileFailure(ENOENT, doing: .make, to: folder.url.path + "/x/y")) {
            try FileSystem.makeFile(folder.url.path + "/x/y")
        }
    }

    @Test("A folder lists its contents, including hidden files, by name, and a path without a folder lists nothing")
    func contents() throws {
        let folder = try TemporaryFolder()
        let real = folder.url.path + "/real"
        for name in ["b", ".a", "\u{9EDE}", "c/d"] {
            let path = "\(real)/\(name)"
            try DurableCalls.system.makeFolders(URL(fileURLWithPath: path).deletingLastPathComponent().path)
            try FileSystem.makeFile(path)
        }
        try FileManager.default.createSymbolicLink(atPath: folder.url.path + "/link", withDestinationPath: "real")
        for path in [real, folder.url.path + "/link"] {
            #expect(try FileSystem.contents(of: path) == [".a", "b", "c", "\u{9EDE}"].map { "\(path)/\($0)" })
        }
        #expect(try FileSystem.contents(of: real + "/b") == [])
        #expect(try FileSystem.contents(of: real + "/none") == [])
    }

    @Test(
        "A plain file is read in whole, in part and beyond its end; a missing file gives nil, and a too large one no bytes"
    )
    func reading() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/file"
        try Data("0123456789".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try FileSystem.read(2..<5, of: path) == Data("234".utf8))
        #expect(try FileSystem.read(8..<50, of: path) == Data("89".utf8))
        #expect(try FileSystem.read(path, atMost: 10) == Data("0123456789".utf8))
        #expect(try FileSystem.read(path, atMost: 9) == Data())
        #expect(try FileSystem.read(path + "x", atMost: 9) == nil)
        #expect(try FileSystem.read(folder.url.path, atMost: 9) == nil)
    }

    @Test("setModified sets a file's date", arguments: [0, 1_700_000_000.25, -1.5])
    func dates(seconds: TimeInterval) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/file"
        #expect(!FileSystem.setModified(path, to: nil))
        try FileSystem.makeFile(path)
        let date = Date(timeIntervalSince1970: seconds)
        #expect(FileSystem.setModified(path, to: date))
        #expect(try FileSystem.status(of: path)?.modified == date)
        #expect(FileSystem.setModified(path, to: nil))
        let touched = try #require(try FileSystem.status(of: path))
        #expect(touched.modified > date)
    }
}
