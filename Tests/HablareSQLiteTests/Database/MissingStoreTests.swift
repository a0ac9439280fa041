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
            #expect(error.message.contains("was deleted, moved or replaced") && error.message.contains("Bring"))
        }
        #expect(!FileManager.default.fileExists(atPath: gone.path), "nothing is made anew in its place")
    }

    @Test("A store whose folder was replaced by another store writes to neither")
    func replaced() throws {
        try bench.submit(1)
        let moved = folder.url.appending(path: "moved", directoryHint: .isDirectory)
        try FileManager.default.moveItem(at: directory, to: moved)
        let other = StoreWorkbench(store: try SQLiteStore(directory: directory))
        #expect(try refusal { try bench.submit(2) }.code == .storageMissing)
        try other.submit(3)
        #expect(try other.store.snapshots(SnapshotFilter()).map(\.id) == [StoreWorkbench.id(3)])
        let there = try SQLiteStore(directory: moved)
        #expect(try there.snapshots(SnapshotFilter()).map(\.id) == [StoreWorkbench.id(1)])
    }

    @Test("A store works again after its folder is restored")
    func broughtBack() throws {
        let moved = folder.url.appending(path: "moved", directoryHint: .isDirectory)
        try FileManager.default.moveItem(at: directory, to: moved)
        #expect(try refusal { try bench.submit(1) }.code == .storageMissing)
        try FileManager.default.moveItem(at: moved, to: directory)
        try bench.submit(1)
        #expect(try store.snapshots(SnapshotFilter()).count == 1)
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
