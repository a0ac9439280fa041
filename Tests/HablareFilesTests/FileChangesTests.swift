import Foundation
import HablareFiles
import HablareTestFiles
import Testing

/// Each waits for what the kernel or a look tells, as long as that takes: no test of these says a time.
@Suite("Changes of files", .timeLimit(.minutes(1))) struct FileChangesTests {
    @Test("are told for each way to learn of them", arguments: [FileChanges.Method.notification, .looking])
    func told(method: FileChanges.Method) async throws {
        let folder = try TemporaryFolder()
        let changes = FileChanges(directory: folder.url.path, suffix: "-wal", method: method).stream()
        var told = changes.makeAsyncIterator()
        let file = folder.url.appendingPathComponent("a-wal")
        try Data("1".utf8).write(to: file)
        #expect(await told.next() != nil)
        // Written again only when the last change was told, and told again.
        for size in 2..<5 {
            try Data(repeating: 0, count: size).write(to: file)
            #expect(await told.next() != nil)
        }
    }

    @Test(
        "of a folder that is not there yet are told once it is", arguments: [FileChanges.Method.notification, .looking])
    func later(method: FileChanges.Method) async throws {
        let folder = try TemporaryFolder()
        let new = folder.url.appendingPathComponent("new")
        var told = FileChanges(directory: new.path, suffix: "-wal", method: method).stream().makeAsyncIterator()
        try FileManager.default.createDirectory(at: new, withIntermediateDirectories: false)
        try Data("1".utf8).write(to: new.appendingPathComponent("a-wal"))
        #expect(await told.next() != nil)
    }

    @Test("end with their reader")
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
