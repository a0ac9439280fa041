import Dispatch
import Foundation
import HablareFiles
import HablareTestFiles
import Synchronization
import Testing

@Suite("The lock of a folder") struct FolderLockTests {
    @Test("lets one in at a time")
    func oneAtATime() throws {
        let folder = try TemporaryFolder()
        let inside = Atomic(0)
        let most = Atomic(0)
        let entered = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            do {
                try FolderLock.whileHeld(on: folder.url.path, waiting: 60) {
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

    @Test("is waited for no longer than is said", arguments: [0, 0.001, -1, Double.nan])
    func busy(limit: Double) throws {
        let folder = try TemporaryFolder()
        try FolderLock.whileHeld(on: folder.url.path, waiting: 0) { () -> Void in
            #expect(throws: FolderLock.Busy(path: folder.url.path)) {
                try FolderLock.whileHeld(on: folder.url.path, waiting: limit) {}
            }
        }
    }

    @Test("is let go when the code inside throws, and leaves no file")
    func letGo() throws {
        struct Thrown: Error {}
        let folder = try TemporaryFolder()
        #expect(throws: Thrown.self) { try FolderLock.whileHeld(on: folder.url.path, waiting: 0) { throw Thrown() } }
        try FolderLock.whileHeld(on: folder.url.path, waiting: 0) {}
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test("of a folder that is not there is a failure of the file system")
    func missing() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/none"
        let error = #expect(throws: FileFailure.self) { try FolderLock.whileHeld(on: path, waiting: 0) {} }
        #expect(error == FileFailure(ENOENT, doing: "open", to: path))
        #expect(error?.cause == "open: No such file or directory")
    }
}
