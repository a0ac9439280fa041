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

    @Test("The owner of a held lock counts as alive in every check")
    func alive() throws {
        let name = try locks.acquire()
        let other = try anotherProcess()
        for _ in 0..<3 {
            #expect(try !other.isFree(name))
            #expect(try !locks.isFree(name))
        }
    }

    @Test("The owner of a released lock counts as dead, and its file is removed")
    func released() throws {
        let name = try locks.acquire()
        locks.release(name)
        #expect(try anotherProcess().isFree(name))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/owners") == [])
    }

    @Test("Releasing one lock keeps the others, and releasing an unknown one does nothing")
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

    @Test("An unlocked file belongs to a dead process and is removed")
    func leftBehind() throws {
        let file = folder.url.appendingPathComponent("owners/left.lock")
        try Data().write(to: file)
        let other = try anotherProcess()
        #expect(try locks.isFree("left.lock"))
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #expect(try other.isFree("left.lock"), "and stays dead for whoever looks next")
    }

    @Test(
        "A missing file or an invalid name belongs to a dead process",
        arguments: ["missing", "", "../owners", "a/b"])
    func missing(name: String) throws {
        #expect(try locks.isFree(name))
        #expect(FileManager.default.fileExists(atPath: folder.url.path + "/owners"))
    }

    @Test("Processes of one machine share its host name and have different lock names")
    func names() throws {
        let other = try anotherProcess()
        #expect(other.host == locks.host)
        #expect(!locks.host.isEmpty)
        #expect(try locks.acquire() != other.acquire())
    }

    @Test("A store's locks are released with it")
    func ends() throws {
        var mortal: FileLocks? = try anotherProcess()
        let name = try #require(try mortal?.acquire())
        #expect(try !locks.isFree(name))
        mortal = nil
        #expect(try locks.isFree(name))
    }
}
