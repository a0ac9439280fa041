import Foundation
import Hablare
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

/// A real disk that is full or read-only: a small file system in memory.
@Suite(.enabled(if: SmallDisk.isPossible, "mounting needs root on Linux"))
struct SmallDiskTests {
    private static let large = String(repeating: "x", count: 30_000)

    @Test("A full disk is an error with a code, keeps existing rows, and accepts writes once there is space")
    func full() async throws {
        let disk = try SmallDisk(size: "2m")
        let ballast = disk.url.appendingPathComponent("ballast")
        try Data(count: 500_000).write(to: ballast)
        let store = try SQLiteStore(directory: disk.url.appendingPathComponent("store"))
        let bench = StoreWorkbench(store: store)
        var stored = 0
        let error = try serviceError {
            while stored < 1_000 {
                try bench.submit(StoreWorkbench.submission(stored, prompt: .text(Self.large)))
                stored += 1
            }
        }
        #expect(error.code == .storageFull)
        #expect(stored > 3)
        await #expect(throws: AIServiceError.self) { try await store.files.put(Data(count: 600_000)) }
        let leftovers = try store.files.all()
        #expect(leftovers == [], "a content file is whole or not there")
        #expect(try store.snapshots(SnapshotFilter()).count == stored)
        try FileManager.default.removeItem(at: ballast)
        try bench.submit(StoreWorkbench.submission(5_000, prompt: .text(Self.large)))
        let reference = try await store.files.put(Data(count: 100_000))
        #expect(try store.files.read(reference).count == 100_000)
        try store.close()
        let reopened = try SQLiteStore(directory: disk.url.appendingPathComponent("store"))
        #expect(try reopened.snapshots(SnapshotFilter()).count == stored + 1)
        #expect(try reopened.request(of: StoreWorkbench.id(0))?.request.prompt == .text(Self.large))
    }

    @Test("A content file without room is a storageFull error")
    func fullForContent() async throws {
        let disk = try SmallDisk(size: "1m")
        let store = try SQLiteStore(directory: disk.url)
        let error = await #expect(throws: AIServiceError.self) { try await store.files.put(Data(count: 2_000_000)) }
        #expect(error?.code == .storageFull)
        #expect(try store.files.all() == [])
    }

    @Test("A disk without room for another folder is full, not read-only")
    func noRoomForFolders() async throws {
        let disk = try SmallDisk(size: "1m,nr_inodes=20")
        let store = try SQLiteStore(directory: disk.url)
        var failure: AIServiceError?
        for number in 0..<40 where failure == nil {
            do {
                _ = try await store.files.put(Data("\(number)".utf8))
            } catch {
                failure = error as? AIServiceError
            }
        }
        #expect(failure?.code == .storageFull)
    }

    @Test("A read-only disk fails opening, writing and content with storageReadOnly until it is writable")
    func readOnly() async throws {
        let disk = try SmallDisk(size: "4m")
        let folder = disk.url.appendingPathComponent("store")
        let store = try SQLiteStore(directory: folder)
        let bench = StoreWorkbench(store: store)
        try bench.submit(1)
        try store.close()
        try disk.makeReadOnly(true)
        #expect(try serviceError { _ = try SQLiteStore(directory: folder) }.code == .storageReadOnly)
        let missing = disk.url.appendingPathComponent("new")
        #expect(try serviceError { _ = try SQLiteStore(directory: missing) }.code == .storageReadOnly)
        #expect(try serviceError { _ = try FileLocks(directory: folder).acquire() }.code == .storageReadOnly)
        try disk.makeReadOnly(false)
        let again = try SQLiteStore(directory: folder)
        #expect(try again.snapshot(of: StoreWorkbench.id(1)) != nil)
    }

    /// Fills a file system to its last byte.
    private func fill(_ disk: SmallDisk) throws -> URL {
        let file = disk.url.appendingPathComponent("filling")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        for size in [65_536, 4_096, 1] {
            do {
                while true { try handle.write(contentsOf: Data(count: size)) }
            } catch {
                continue  // no room for that much
            }
        }
        try handle.close()
        return file
    }

    @Test(
        "An engine on a full disk pauses, notifies waiters, and resumes, with each call made and recorded once",
        .timeLimit(.minutes(5)))
    func engine() async throws {
        let disk = try SmallDisk(size: "16m")
        let store = try SQLiteStore(directory: disk.url.appendingPathComponent("store"))
        let gate = Gate()
        let provider = ScriptedProvider(limits: ProviderLimits(concurrency: 2)) { call in
            do { try await gate.pass() } catch { return .failure(AIServiceError(.cancelled, "Stopped.")) }
            return .success(ProviderAnswer(.text(Body(call.request.prompt.plainText + Self.large))))
        }
        let clock = ManualClock()
        let manager = AIRequestManager(
            store: store, providers: try ProviderRegistry([provider]),
            configuration: EngineConfiguration(attemptTimeout: .seconds(1_000_000), retry: .never, breaker: .never),
            seams: .controlled(by: clock))
        let ids = try await manager.submit(
            (0..<60).map { AIRequest(prompt: .text("on a small disk \($0): ")) }, to: "scripted",
            jobKey: JobKey(rawValue: "j"))
        /// Lets time pass until a condition holds, at most this number of seconds.
        @Sendable func pass(
            seconds: Int = 2_000, until condition: @escaping @Sendable () async throws -> Bool = { false }
        ) async throws {
            for _ in 0..<seconds {
                if try await condition() { return }
                clock.advance(by: .seconds(1))
                try Task.checkCancellation()
                await Task.yield()
                // This failing commit waits for everything submitted to the journal's thread before it.
                await #expect(throws: AIServiceError.self) { try await manager.cancelRequest(UUID()) }
            }
        }
        try await EngineService.run(manager) {
            await gate.arrivals(reach: 2)
            let filling = try fill(disk)
            let told = Locked<AIServiceError.Code?>(nil)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let error = await #expect(throws: AIServiceError.self) { _ = try await manager.outcome(of: ids[0]) }
                    told.withLock { $0 = error?.code }
                }
                gate.open()
                // It may have failed before a waiter arrived. Then it fails again at the next renewal.
                try await pass { told.withLock { $0 } != nil }
                group.cancelAll()
            }
            #expect(told.withLock { $0 } == .storageFull)
            try await pass(seconds: 200)  // many times the pause of a journal without room
            #expect(provider.record.calls.count == 2, "nothing is sent that cannot be recorded")
            #expect(try store.statistics().requests[.completed] ?? 0 == 0)
            try FileManager.default.removeItem(at: filling)
            try await pass { try store.statistics().requests == [.completed: 60] }
        }
        #expect(try store.statistics().requests == [.completed: 60])
        #expect(provider.record.calls.count == 60)
        for (number, id) in ids.enumerated() {
            #expect(try store.attempts(of: id).map(\.outcome) == [.completed])
            let text = try await manager.response(for: id)?.text()
            #expect(text == "on a small disk \(number): " + Self.large)
        }
    }
}
