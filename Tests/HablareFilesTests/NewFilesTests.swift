import Foundation
import HablareFiles
import HablareTestFiles
import Testing

@Suite("What is new in the file system") struct NewFilesTests {
    @Test("is made where it is missing and left as it is where it is not")
    func made() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/a/b c"
        for _ in 0..<2 { try NewFiles.makeFolders(path) }
        for _ in 0..<2 { try NewFiles.makeFile(path + "/file") }
        try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/file"))
        try NewFiles.makeFile(path + "/file")
        #expect(try NewFiles.kind(of: path) == .folder)
        #expect(try NewFiles.kind(of: path + "/file") == .file(size: 1))
        #expect(try NewFiles.kind(of: path + "/none") == .none)
    }

    @Test("is where links lead, also one to a file that is not there yet, and nowhere where they lead in a circle")
    func resolved() throws {
        let folder = try TemporaryFolder()
        let real = try NewFiles.resolved(folder.url.path)
        let manager = FileManager.default
        try NewFiles.makeFolders(real + "/a")
        try manager.createSymbolicLink(atPath: real + "/b", withDestinationPath: "a")
        try manager.createSymbolicLink(atPath: real + "/link", withDestinationPath: "b/file")
        try manager.createSymbolicLink(atPath: real + "/a/again", withDestinationPath: real + "/link")
        for _ in 0..<2 {
            for name in ["a/file", "b/file", "link", "b/again", "a/../b/../link"] {
                let resolved = try NewFiles.resolved("\(real)/\(name)")
                #expect(resolved == "\(real)/a/file", "\(name)")
            }
            try NewFiles.makeFile(real + "/a/file")
        }
        #expect(try NewFiles.resolved("/none") == "/none")
        try manager.createSymbolicLink(atPath: real + "/circle", withDestinationPath: "circle")
        #expect(throws: FileFailure(ELOOP, doing: "resolve", to: real)) { try NewFiles.resolved(real + "/circle") }
        let missing = "\(real)/x"
        #expect(throws: FileFailure(ENOENT, doing: "resolve", to: missing)) {
            try NewFiles.resolved("\(missing)/file")
        }
    }

    @Test("is not made through a file: the failure names it")
    func throughFile() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.path + "/file"
        try NewFiles.makeFile(file)
        #expect(throws: FileFailure(ENOTDIR, doing: "make", to: file)) { try NewFiles.makeFolders(file) }
        #expect(throws: FileFailure(ENOTDIR, doing: "make", to: file + "/a")) { try NewFiles.makeFolders(file + "/a") }
        #expect(throws: FileFailure(ENOTDIR, doing: "look at", to: file + "/a")) {
            try NewFiles.kind(of: file + "/a")
        }
        #expect(throws: FileFailure(ENOENT, doing: "make", to: folder.url.path + "/x/y")) {
            try NewFiles.makeFile(folder.url.path + "/x/y")
        }
    }
}
