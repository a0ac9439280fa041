import Foundation
import Hablare
import HablareTestFiles
import Testing

@testable import HablareSQLite

@Suite struct FileLocksTests {
    private let folder: TemporaryFolder
    private let locks: FileLocks

    init() throws {
        folder = try TemporaryFolder()
        locks = try FileLocks(directory: folder.url.appendingPathComponent("owners"))
    }

    private func anotherProcess() throws -> FileLocks {
        try FileLocks(directory: folder.url.appendingPathComponent("owners"))
    }

    @Test("The owner of a held lock is alive, whoever looks and however often")
    func alive() throws {
        let name = try locks.acquire()
        let other = try anotherProcess()
        for _ in 0..<3 {
            #expect(try !other.isFree(name))
            #expect(try !locks.isFree(name))
        }
    }

    @Test("The owner of a lock that was let go is dead, and its file is gone")
    func released() throws {
        let name = try locks.acquire()
        locks.release(name)
        #expect(try anotherProcess().isFree(name))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/owners") == [])
    }

    @Test("Releasing one lock leaves the others, and releasing twice or an unknown one does nothing")
    func severalLocks() throws {
        let one = try locks.acquire()
        let two = try locks.acquire()
        #expect(one != two)
        locks.release(one)
        locks.release(one)
        locks.release("unknown.lock")
        #expect(try locks.isFree(one))
        #expect(try !locks.isFree(two))
    }

    @Test("A file that nobody has locked is a dead process's, and is removed")
    func leftBehind() throws {
        let file = folder.url.appendingPathComponent("owners/left.lock")
        try Data().write(to: file)
        let other = try anotherProcess()
        #expect(try locks.isFree("left.lock"))
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #expect(try other.isFree("left.lock"), "and stays dead for whoever looks next")
    }

    @Test(
        "A name without a file, or that is no file name, is a dead process's",
        arguments: ["missing", "", "../owners", "a/b"])
    func missing(name: String) throws {
        #expect(try locks.isFree(name))
        #expect(FileManager.default.fileExists(atPath: folder.url.path + "/owners"))
    }

    @Test("Processes of one machine share its name, and their locks have different ones")
    func names() throws {
        let other = try anotherProcess()
        #expect(other.host == locks.host)
        #expect(!locks.host.isEmpty)
        #expect(try locks.acquire() != other.acquire())
    }

    @Test("The locks of a store end with it")
    func ends() throws {
        var mortal: FileLocks? = try anotherProcess()
        let name = try #require(try mortal?.acquire())
        #expect(try !locks.isFree(name))
        mortal = nil
        #expect(try locks.isFree(name))
    }
}
