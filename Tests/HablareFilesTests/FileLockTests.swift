import Dispatch
import Foundation
import HablareFiles
import HablareTestFiles
import Synchronization
import Testing

@Suite("Locks of files and folders") struct FileLockTests {
    @Test("A folder lock admits one holder at a time")
    func oneAtATime() throws {
        let folder = try TemporaryFolder()
        let inside = Atomic(0)
        let most = Atomic(0)
        let entered = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            do {
                try FileLock.whileHeld(on: folder.url.path, waiting: 60) {
                    let count = inside.add(1, ordering: .sequentiallyConsistent).newValue
                    most.max(count, ordering: .sequentiallyConsistent)
                    entered.add(1, ordering: .sequentiallyConsistent)
                    inside.subtract(1, ordering: .sequentiallyConsistent)
                }
            } catch {
                Issue.record(error)
            }
        }
        #expect(most.load(ordering: .sequentiallyConsistent) == 1)
        #expect(entered.load(ordering: .sequentiallyConsistent) == 8)
    }

    @Test("A lock is waited for no longer than the limit", arguments: [0, 0.001, -1, Double.nan])
    func busy(limit: Double) throws {
        let folder = try TemporaryFolder()
        try FileLock.whileHeld(on: folder.url.path, waiting: 0) { () -> Void in
            #expect(throws: FileLock.Busy(path: folder.url.path)) {
                try FileLock.whileHeld(on: folder.url.path, waiting: limit) {}
            }
        }
    }

    @Test("A folder lock is released when the code inside throws, and leaves no file")
    func letGo() throws {
        struct Thrown: Error {}
        let folder = try TemporaryFolder()
        #expect(throws: Thrown.self) { try FileLock.whileHeld(on: folder.url.path, waiting: 0) { throw Thrown() } }
        try FileLock.whileHeld(on: folder.url.path, waiting: 0) {}
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test("Locking a missing folder is a failure of the file system")
    func missing() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/none"
        let error = #expect(throws: FileFailure.self) { try FileLock.whileHeld(on: path, waiting: 0) {} }
        #expect(error == FileFailure(ENOENT, doing: .open, to: path))
        #expect(error?.cause == "open: No such file or directory")
    }

    @Test("A lock belongs to one descriptor, or to several shared ones, until they are closed")
    func shared() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/file"
        try FileSystem.makeFile(path)
        let descriptors = (0..<3).map { _ in open(path, O_RDONLY | O_CLOEXEC) }
        #expect(try FileLock.take(descriptors[0], of: path))
        #expect(try !FileLock.take(descriptors[1], of: path))
        #expect(try !FileLock.take(descriptors[1], of: path, isShared: true))
        close(descriptors[0])
        #expect(try FileLock.take(descriptors[1], of: path, isShared: true))
        #expect(try FileLock.take(descriptors[2], of: path, isShared: true))
        #expect(try !FileLock.take(descriptors[2], of: path))
        for descriptor in descriptors[1...] { close(descriptor) }
        #expect(throws: FileFailure(EBADF, doing: .lock, to: path)) { try FileLock.take(-1, of: path) }
    }

    @Test("An open file is the one at its path until the path is removed, replaced or a link")
    func named() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/file"
        let descriptor = try FileSystem.create(path)
        defer { close(descriptor) }
        #expect(FileLock.isFile(descriptor, at: path))
        #expect(!FileLock.isFile(descriptor, at: path + "x"))
        try FileManager.default.createSymbolicLink(atPath: path + "x", withDestinationPath: "file")
        #expect(!FileLock.isFile(descriptor, at: path + "x"))
        try FileSystem.remove(path)
        #expect(!FileLock.isFile(descriptor, at: path))
        try FileSystem.makeFile(path)
        #expect(!FileLock.isFile(descriptor, at: path))
    }
}
