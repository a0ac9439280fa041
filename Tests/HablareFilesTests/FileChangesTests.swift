import Foundation
import HablareTestFiles
import Synchronization
import Testing

@testable import HablareFiles

/// The tests wait for the kernel or a poll as long as that takes, and depend on no time.
@Suite("File changes", .timeLimit(.minutes(1))) struct FileChangesTests {
    @Test(
        "Changes are reported by notification and by polling", arguments: [FileChanges.Method.notification, .looking])
    func told(method: FileChanges.Method) async throws {
        let folder = try TemporaryFolder()
        let changes = FileChanges(directory: folder.url.path, suffix: "-wal", method: method).stream()
        var told = changes.makeAsyncIterator()
        let file = folder.url.appendingPathComponent("a-wal")
        try Data("1".utf8).write(to: file)
        #expect(await told.next() != nil)
        // Written again only after the last change was reported, so each write is reported again.
        for size in 2..<5 {
            try Data(repeating: 0, count: size).write(to: file)
            #expect(await told.next() != nil)
        }
    }

    @Test(
        "Changes of a folder that does not exist yet are reported once it exists",
        arguments: [FileChanges.Method.notification, .looking])
    func later(method: FileChanges.Method) async throws {
        let folder = try TemporaryFolder()
        let new = folder.url.appendingPathComponent("new")
        var told = FileChanges(directory: new.path, suffix: "-wal", method: method).stream().makeAsyncIterator()
        try FileManager.default.createDirectory(at: new, withIntermediateDirectories: false)
        try Data("1".utf8).write(to: new.appendingPathComponent("a-wal"))
        #expect(await told.next() != nil)
    }

    @Test("A report that the receiver cannot use is repeated until it can, even without a further change")
    func owed() async throws {
        let folder = try TemporaryFolder()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let count = Atomic(0)
        let watch = FileChanges(directory: folder.url.path, suffix: "-wal", echoes: [1]).watch {
            let count = count.add(1, ordering: .relaxed).newValue
            continuation.yield(count)
            return count >= 20
        }
        for await count in stream where count == 20 { break }
        watch.end()
    }

    #if os(Linux)
    @Test("An event for one file among others is reported, and so is an overflow of the kernel's queue")
    func events() {
        func event(_ kind: UInt32, _ name: String) -> [UInt8] {
            let length = name.isEmpty ? 0 : 16
            var bytes = [UInt8](repeating: 0, count: 16 + length)
            bytes[4] = UInt8(kind & 255)
            bytes[5] = UInt8(kind >> 8)
            bytes[12] = UInt8(length)
            bytes.replaceSubrange(16..<(16 + name.utf8.count), with: name.utf8)
            return bytes
        }
        let (other, ours) = (event(2, "a-shm"), event(2, "a-wal"))
        #expect(!FileChanges.names([], ofNamesEndingWith: "-wal"))
        let (others, among, overflow) = (other + other, other + ours, other + event(0x4000, ""))
        #expect(!FileChanges.names(others[...], ofNamesEndingWith: "-wal"))
        #expect(FileChanges.names(among[...], ofNamesEndingWith: "-wal"))
        #expect(FileChanges.names(overflow[...], ofNamesEndingWith: "-wal"))
    }
    #endif

    @Test("The stream of changes ends with its reader")
    func ended() async throws {
        let folder = try TemporaryFolder()
        let stream = FileChanges(directory: folder.url.path, suffix: "-wal").stream()
        let count = await withTaskGroup(of: Int.self) { group in
            group.addTask {
                var count = 0
                for await _ in stream { count += 1 }
                return count
            }
            group.cancelAll()
            return await group.next()
        }
        #expect(count != nil)
    }
}
