import Foundation
import HablareFiles
import HablareTestFiles
import Testing

@Suite struct OpenFolderTests {
    @Test("A folder is held elsewhere exactly as long as another holder exists")
    func others() throws {
        let folder = try TemporaryFolder()
        let first = try OpenFolder(folder.url.path)
        #if os(Linux)
        #expect(!first.mayHaveOthers)
        #endif
        var second: OpenFolder? = try OpenFolder(folder.url.path)
        #expect(first.mayHaveOthers)
        #expect(second?.mayHaveOthers == true)
        second = nil
        #if os(Linux)
        #expect(!first.mayHaveOthers)
        #endif
    }

    @Test("A lock on the folder for another purpose does not count as another holder")
    func locked() throws {
        let folder = try TemporaryFolder()
        let holder = try OpenFolder(folder.url.path)
        #if os(Linux)
        try FileLock.whileHeld(on: folder.url.path, waiting: 0) { #expect(!holder.mayHaveOthers) }
        #endif
        _ = holder
    }

    @Test("Opening a path without a folder is a failure")
    func failing() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/file"
        #expect(throws: FileFailure(ENOENT, doing: .open, to: path)) { try OpenFolder(path) }
        try FileSystem.makeFile(path)
        #expect(throws: FileFailure(ENOTDIR, doing: .open, to: path)) { try OpenFolder(path) }
    }

    #if os(Linux)
    @Test("When another folder has taken the path, other holders are assumed")
    func replaced() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/store"
        try DurableCalls.system.makeFolders(path)
        let holder = try OpenFolder(path)
        #expect(!holder.mayHaveOthers)
        try FileManager.default.moveItem(atPath: path, toPath: path + " moved")
        #expect(holder.mayHaveOthers)
        try DurableCalls.system.makeFolders(path)
        #expect(holder.mayHaveOthers)
    }
    #endif
}
