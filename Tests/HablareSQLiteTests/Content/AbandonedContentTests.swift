import Foundation
import Hablare
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

@Suite struct AbandonedContentTests {
    private let sqlite: SQLiteBench
    private var bench: StoreWorkbench { sqlite.bench }
    /// Content last written before this date may be abandoned.
    private let deadline = Date(timeIntervalSince1970: 1_700_000_000)

    init() throws {
        sqlite = try SQLiteBench()
    }

    /// Sets a file's modification date to this number of seconds before the deadline.
    private func age(_ file: URL, by seconds: TimeInterval = 1) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: deadline.addingTimeInterval(-seconds)], ofItemAtPath: file.path)
    }

    private func put(_ text: String, isOld: Bool = true) async throws -> Body {
        let body = try await sqlite.put(text)
        if isOld { try age(#require(body.fileURL)) }
        return body
    }

    @Test("Old files without a row and unfinished files are counted, and removed if requested")
    func removes() async throws {
        let owner = try bench.register()
        let answer = try await put("answer")
        try bench.complete([try StoreWorkbench.submission(1)], by: owner, with: .text(answer))
        var asking = try StoreWorkbench.submission(2, prompt: "question")
        asking.promptContent = try await put("question").reference
        try bench.submit(asking)
        let lost = try #require(try await put("lost").fileURL)
        _ = try await put("under way", isOld: false)
        let folder = lost.deletingLastPathComponent()
        for (name, bytes) in [("abc.1.tmp", 10), ("notes.txt", 20)] {
            let file = folder.appendingPathComponent(name)
            try Data(count: bytes).write(to: file)
            try age(file)
        }
        #expect(try sqlite.contentFiles.count == 6)
        let expected = AbandonedContent(files: 2, bytes: 14)
        #expect(try sqlite.store.abandonedContent(before: deadline, removing: false) == expected)
        #expect(try sqlite.contentFiles.count == 6)
        #expect(try sqlite.store.abandonedContent(before: deadline, removing: true) == expected)
        #expect(try sqlite.contentFiles.count == 4)
        #expect(try answer.read() == Data("answer".utf8))
        #expect(try bench.store.request(of: StoreWorkbench.id(2))?.request.prompt == "question")
        #expect(try sqlite.store.abandonedContent(before: deadline, removing: true) == AbandonedContent())
    }

    @Test("A file that is stored again does not count as abandoned, whatever its age")
    func touched() async throws {
        _ = try await put("again")
        let body = try await sqlite.put("again")
        #expect(try sqlite.store.abandonedContent(before: deadline, removing: true) == AbandonedContent())
        #expect(try body.read() == Data("again".utf8))
    }

    @Test(
        "Files of a process that died before its commit are removed, and it stores them again if it lives"
    )
    func crashBetweenFileAndRow() async throws {
        let other = try SQLiteStore(directory: sqlite.folder.url)
        let theirs = StoreWorkbench(store: other)
        let owner = try theirs.register(2)
        try theirs.submit(1)
        let attempt = try theirs.startNext(owner)
        let body = Body(try await other.files.put(Data("answer".utf8)), in: other.files)
        #expect(try sqlite.store.abandonedContent(before: deadline, removing: true) == AbandonedContent())
        try age(#require(body.fileURL))
        #expect(try sqlite.store.abandonedContent(before: deadline, removing: true).files == 1)
        // The process was only asleep: its commit reports the missing content, and it stores the content again.
        let end = attempt.completed(.text(body))
        #expect(try theirs.write(.settle(end)) == .contentMissing(#require(body.reference)))
        _ = try await other.files.put(Data("answer".utf8))
        #expect(try theirs.write(.settle(end)) == .done)
        try age(#require(body.fileURL))
        #expect(try sqlite.store.abandonedContent(before: deadline, removing: true) == AbandonedContent())
        #expect(try body.read() == Data("answer".utf8))
    }

    @Test("Foreign files and folders in the content folder do not stop the search")
    func foreignFiles() async throws {
        _ = try await put("lost")
        let content = sqlite.folder.url.appendingPathComponent("content")
        try Data("of the Finder".utf8).write(to: content.appendingPathComponent(".DS_Store"))
        let folder = content.appendingPathComponent("00/dir.tmp")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try age(folder)
        #expect(
            try sqlite.store.abandonedContent(before: deadline, removing: true) == AbandonedContent(files: 1, bytes: 4))
        #expect(FileManager.default.fileExists(atPath: folder.path))
        #expect(try sqlite.store.diagnose().findings.filter(\.isProblem) == [])
    }

    @Test("A folder that cannot be listed is a storage failure that names it")
    func unreadable() async throws {
        let lost = try #require(try await put("lost").fileURL)
        // Longer than the system's limit for a name.
        let folder = lost.deletingLastPathComponent().appendingPathComponent(String(repeating: "x", count: 300))
        let error = try serviceError {
            _ = try sqlite.store.abandonedContent(in: [folder], before: deadline, removing: true)
        }
        #expect(error.code == .storageFailed && error.message.contains(folder.path))
    }

    @Test("A folder that cannot be listed does not prevent the search in others")
    func continues() async throws {
        let lost = try #require(try await put("lost").fileURL)
        let folder = lost.deletingLastPathComponent()
        let bad = folder.appendingPathComponent(String(repeating: "x", count: 300))
        let error = try serviceError {
            _ = try sqlite.store.abandonedContent(in: [bad, folder], before: deadline, removing: true)
        }
        #expect(error.message.contains(bad.path))
        #expect(try sqlite.contentFiles.isEmpty)
    }

    @Test("The search follows a symbolic link to the content folder")
    func linked() async throws {
        _ = try await put("lost")
        let content = sqlite.folder.url.appendingPathComponent("content")
        let elsewhere = sqlite.folder.url.appendingPathComponent("larger disk")
        try FileManager.default.moveItem(at: content, to: elsewhere)
        try FileManager.default.createSymbolicLink(at: content, withDestinationURL: elsewhere)
        #expect(
            try sqlite.store.abandonedContent(before: deadline, removing: true) == AbandonedContent(files: 1, bytes: 4))
    }

    @Test("A cancelled search ends with its current folder")
    func cancelled() async throws {
        for number in 0..<20 { _ = try await put("lost \(number)") }
        let all = try sqlite.contentFiles
        let folders = try sqlite.store.files.folders()
        let second = try sqlite.store.files.files(in: folders[0]).count
        let (store, deadline) = (sqlite.store, deadline)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                let endsInTheSecond = folders.lazy.map { folder in
                    if folder == folders[1] { withUnsafeCurrentTask { $0?.cancel() } }
                    return folder
                }
                #expect(throws: CancellationError.self) {
                    try store.abandonedContent(in: endsInTheSecond, before: deadline, removing: true)
                }
            }
        }
        #expect(try sqlite.contentFiles.count == all.count - second)
        #expect(try store.abandonedContent(before: deadline, removing: true).files == all.count - second)
    }

    @Test("Removing abandoned content while others store the same content loses nothing")
    func race() async throws {
        let store = sqlite.store
        let other = try SQLiteStore(directory: sqlite.folder.url)
        let owner = try bench.register()
        let deadline = self.deadline
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let bench = StoreWorkbench(store: store)
                for number in 1...60 {
                    try bench.submit(number)
                    let attempt = try bench.startNext(owner)
                    var receipt = WriteReceipt.unknownRequest
                    repeat {
                        let body = Body(try await store.files.put(Data("contested".utf8)), in: store.files)
                        // As if it had been stored long ago, which is the worst case.
                        let path = try #require(body.fileURL).path
                        utimesOfOld(path, deadline)
                        receipt = try bench.write(.settle(attempt.completed(.text(body))))
                    } while receipt != .done
                    let response = try #require(try store.response(of: attempt.request))
                    #expect(try response.content.body?.read() == Data("contested".utf8))
                    _ = try bench.write(.evict(attempt.request))
                }
            }
            group.addTask {
                while !Task.isCancelled {
                    _ = try other.abandonedContent(before: deadline, removing: true)
                    await Task.yield()
                }
            }
            try await group.next()
            group.cancelAll()
        }
    }
}

/// Makes a file look old if it still exists.
private func utimesOfOld(_ path: String, _ deadline: Date) {
    var times = [
        timeval(tv_sec: Int(deadline.timeIntervalSince1970) - 1, tv_usec: 0),
        timeval(tv_sec: Int(deadline.timeIntervalSince1970) - 1, tv_usec: 0),
    ]
    utimes(path, &times)
}
