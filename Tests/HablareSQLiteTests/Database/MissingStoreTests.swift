import Foundation
import Hablare
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

/// A store whose files are removed while it is open.
@Suite(.timeLimit(.minutes(2))) struct MissingStoreTests {
    private let folder: TemporaryFolder
    private let directory: URL
    private let store: SQLiteStore
    private let bench: StoreWorkbench

    init() throws {
        folder = try TemporaryFolder()
        directory = folder.url.appending(path: "store", directoryHint: .isDirectory)
        store = try SQLiteStore(directory: directory)
        bench = StoreWorkbench(store: store)
    }

    private func refusal(_ operation: () throws -> Void) throws -> AIServiceError {
        let error = #expect(throws: AIServiceError.self) { try operation() }
        return try #require(error)
    }

    @Test("A store whose folder or file was deleted acknowledges nothing and gives advice", arguments: [false, true])
    func deleted(isOnlyTheFile: Bool) throws {
        let owner = try bench.register()
        try bench.submit(1)
        let gone = isOnlyTheFile ? SQLiteStore.databaseFile(in: directory) : directory
        try FileManager.default.removeItem(at: gone)
        let refused = [
            try refusal { try bench.submit(2) }, try refusal { _ = try bench.claim(owner) },
            try refusal { _ = try bench.write(.renewOwner(owner, until: StoreWorkbench.date(9))) },
        ]
        for error in refused {
            #expect(error.code == .storageMissing && error.category == .storage)
            #expect(error.disposition == .needsUser)
            #expect(
                error.message.contains("was deleted, moved or replaced")
                    && error.message.contains("restore its folder"))
        }
        #expect(!FileManager.default.fileExists(atPath: gone.path), "nothing is made anew in its place")
    }

    private var moved: URL { folder.url.appending(path: "moved", directoryHint: .isDirectory) }

    /// Moves the store away. Another one is made in its place.
    private func replace() throws -> SQLiteStore {
        try FileManager.default.moveItem(at: directory, to: moved)
        return try SQLiteStore(directory: directory)
    }

    @Test("A store whose folder was replaced by another store writes to neither")
    func replaced() throws {
        try bench.submit(1)
        let other = StoreWorkbench(store: try replace())
        #expect(try refusal { try bench.submit(2) }.code == .storageMissing)
        try other.submit(3)
        #expect(try other.store.snapshots(SnapshotFilter()).map(\.id) == [StoreWorkbench.id(3)])
        let there = try SQLiteStore(directory: moved)
        #expect(try there.snapshots(SnapshotFilter()).map(\.id) == [StoreWorkbench.id(1)])
    }

    @Test("A store works again after its folder is restored")
    func broughtBack() throws {
        try FileManager.default.moveItem(at: directory, to: moved)
        #expect(try refusal { try bench.submit(1) }.code == .storageMissing)
        try FileManager.default.moveItem(at: moved, to: directory)
        try bench.submit(1)
        #expect(try store.snapshots(SnapshotFilter()).count == 1)
    }

    @Test("A database that is replaced while it is opened is neither read nor written")
    func replacedWhileOpening() throws {
        let file = SQLiteStore.databaseFile(in: directory)
        let identity = try DatabaseIdentity(ofFileAt: file.path)
        try replace().close()
        let before = try Data(contentsOf: file)
        let error = try refusal { _ = try DatabaseFile.open(file.path, .init(), as: identity) }
        #expect(error.code == .storageMissing)
        #expect(try Data(contentsOf: file) == before)
    }

    @Test("It is not read either once it is deleted, or another store is in its place", arguments: [false, true])
    func notRead(isReplaced: Bool) throws {
        try bench.submit(1)
        if isReplaced {
            try StoreWorkbench(store: replace()).submit(2)
        } else {
            try FileManager.default.removeItem(at: directory)
        }
        // Its first reader is opened now.
        #expect(try refusal { _ = try store.snapshots(SnapshotFilter()) }.code == .storageMissing)
    }

    /// Stores content in each way. Returns the errors.
    private func refusalsOfContent() async throws -> [AIServiceError] {
        let content = try #require(store.content)
        let bytes = Data("a prompt".utf8)
        let pieces = await #expect(throws: AIServiceError.self) {
            let writer = content.makeWriter()
            try await writer.write(bytes)
            _ = try await writer.finish()
        }
        let whole = await #expect(throws: AIServiceError.self) { _ = try await content.put(bytes) }
        return [try #require(pieces), try #require(whole)]
    }

    @Test("Content is refused and no folder made anew once the store's folder, or that of its content, is gone")
    func contentOfMissing() async throws {
        for gone in [directory.appending(path: "content"), directory] {
            try FileManager.default.removeItem(at: gone)
            for error in try await refusalsOfContent() {
                #expect(error.code == .storageMissing && error.disposition == .needsUser)
                #expect(
                    error.message.contains("was deleted, moved or replaced")
                        && error.message.contains("restore its folder"))
            }
            #expect(!FileManager.default.fileExists(atPath: gone.path))
        }
        let manager = AIRequestManager(store: store, providers: try ProviderRegistry([ScriptedProvider()]))
        let refused = await #expect(throws: AIServiceError.self) {
            try await manager.submit(
                AIRequest(prompt: .text(String(repeating: "x", count: 100_000))), to: "scripted")
        }
        #expect(refused?.code == .storageMissing)
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test("A removed unfinished content file is content that is missing, and the store works")
    func unfinishedRemoved() async throws {
        let content = try #require(store.content)
        let writer = content.makeWriter()
        try await writer.write(Data("a part".utf8))
        let unfinished = directory.appending(path: "content/unfinished")
        for file in try FileManager.default.contentsOfDirectory(at: unfinished, includingPropertiesForKeys: nil) {
            try FileManager.default.removeItem(at: file)
        }
        let error = await #expect(throws: AIServiceError.self) { _ = try await writer.finish() }
        #expect(error?.code == .contentMissing)
        _ = try await content.put(Data("whole".utf8))
    }

    @Test("A store that cannot be created is not reported as one that was deleted while it was open")
    func brokenLink() throws {
        let linked = folder.url.appending(path: "linked")
        try FileManager.default.createDirectory(at: linked, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: SQLiteStore.databaseFile(in: linked), withDestinationURL: folder.url.appending(path: "missing/file"))
        let error = #expect(throws: AIServiceError.self) { _ = try SQLiteStore(directory: linked) }
        #expect(error?.code == .storageFailed)
    }

    @Test("The content of another store in its place is left alone")
    func contentOfOther() async throws {
        let other = try replace()
        _ = try await other.files.put(Data("of the other".utf8))
        let files = try other.files.all()
        for error in try await refusalsOfContent() { #expect(error.code == .storageMissing) }
        // No row of this store has it, so it would be taken for abandoned.
        let error = try refusal { _ = try store.abandonedContent(before: .distantFuture, removing: true) }
        #expect(error.code == .storageMissing)
        #expect(try other.files.all() == files)
    }

    @Test("An engine on a deleted store refuses submissions and notifies its waiters")
    func engine() async throws {
        let provider = ScriptedProvider(limits: ProviderLimits(concurrency: 1)) { [directory] _ in
            // Meanwhile the store is deleted.
            do {
                try FileManager.default.removeItem(at: directory)
            } catch {
                return .failure(StoreWorkbench.failure)
            }
            return .success(ProviderAnswer(.text("answer")))
        }
        let manager = AIRequestManager(
            store: store, providers: try ProviderRegistry([provider]),
            configuration: EngineConfiguration(shutdownGrace: .zero))
        try await EngineService.run(manager) {
            let error = await #expect(throws: AIServiceError.self) {
                _ = try await manager.execute(AIRequest(prompt: "x"), with: "scripted")
            }
            #expect(error?.code == .storageMissing)
            let refused = await #expect(throws: AIServiceError.self) {
                try await manager.submit(AIRequest(prompt: "y"), to: "scripted")
            }
            #expect(refused?.code == .storageMissing)
        }
    }
}
