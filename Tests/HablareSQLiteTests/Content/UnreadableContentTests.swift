import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareSQLite

/// Content that exists and cannot be read: a link to itself stands for what the system refuses.
@Suite struct UnreadableContentTests {
    private let sqlite: SQLiteBench
    private var bench: StoreWorkbench { sqlite.bench }

    init() throws {
        sqlite = try SQLiteBench()
    }

    /// Makes a file unreadable, and returns the function that restores it.
    private func hide(_ file: URL) throws -> () throws -> Void {
        let aside = file.appendingPathExtension("aside")
        let manager = FileManager.default
        try manager.moveItem(at: file, to: aside)
        try manager.createSymbolicLink(at: file, withDestinationURL: file)
        return {
            try manager.removeItem(at: file)
            try manager.moveItem(at: aside, to: file)
        }
    }

    private func submit(_ number: Int, _ text: String) async throws -> URL {
        var submission = try StoreWorkbench.submission(number, prompt: .text(text))
        let body = try await sqlite.put(text)
        submission.promptContent = body.reference
        try bench.submit(submission)
        return try #require(body.fileURL)
    }

    @Test("Unreadable content is a storage failure, and missing content is contentMissing")
    func errors() async throws {
        let body = try await sqlite.put("precious")
        let file = try #require(body.fileURL)
        let reference = try #require(body.reference)
        let bringBack = try hide(file)
        for read in [{ _ = try body.read() }, { _ = try sqlite.store.files.read(reference, range: 0..<3) }] {
            let error = try serviceError(read)
            #expect(error.code == .storageFailed)
            #expect(error.message.contains(file.path))
        }
        try bringBack()
        #expect(try body.read() == Data("precious".utf8))
        #expect(try sqlite.store.files.read(reference, range: 0..<3) == Data("pre".utf8))
        try FileManager.default.removeItem(at: file)
        for read in [{ _ = try body.read() }, { _ = try sqlite.store.files.read(reference, range: 0..<3) }] {
            #expect(try serviceError(read).code == .contentMissing)
        }
    }

    @Test("A request with an unreadable prompt is deferred, and later requests continue")
    func claims() async throws {
        let owner = try bench.register()
        let text = String(repeating: "long ", count: 20_000)
        let bringBack = try hide(try await submit(1, text))
        try bench.submit(2)
        let journal = Journal(store: sqlite.store, driver: ThreadCommitDriver())
        journal.start()
        func ask(_ limit: Int, at seconds: Int) async throws -> ReadClaim {
            await journal.reading(
                try sqlite.store.claim(
                    ClaimQuery(
                        owner: owner, provider: "p", scope: .everything, limit: limit,
                        now: StoreWorkbench.date(seconds))),
                date: { StoreWorkbench.date(seconds) })
        }
        let first = try await ask(1, at: 10)
        #expect(first.flights.isEmpty && first.nextDue == StoreWorkbench.date(15))
        #expect(first.putBack.map(\.request.id) == [StoreWorkbench.id(1)])
        #expect(
            try bench.store.snapshot(of: StoreWorkbench.id(1))?.waiting
                == .backingOff(until: StoreWorkbench.date(15)))
        #expect(try await ask(1, at: 11).flights.map(\.request.id) == [StoreWorkbench.id(2)])
        #expect(try await ask(9, at: 15).nextDue == StoreWorkbench.date(20), "it is tried again")
        try bringBack()
        let claimed = try #require(try await ask(1, at: 20).flights.first)
        #expect(claimed.failure == nil && claimed.request.prompt == .text(text))
        #expect(claimed.lifecycle.attempt == 0, "which was no attempt")
        #expect(try bench.store.attempts(of: StoreWorkbench.id(1)) == [])
        #expect(try sqlite.store.diagnose().findings.filter(\.isProblem) == [])
    }

    @Test("A claim that is no longer wanted reads no files and releases its leases")
    func unwanted() async throws {
        let owner = try bench.register()
        _ = try hide(try await submit(1, String(repeating: "long ", count: 20_000)))
        try bench.submit(2)
        let journal = Journal(store: sqlite.store, driver: ThreadCommitDriver())
        journal.start()
        let claim = await journal.reading(
            try sqlite.store.claim(
                ClaimQuery(owner: owner, provider: "p", scope: .everything, limit: 9, now: StoreWorkbench.date(10))),
            date: { StoreWorkbench.date(10) }, isWanted: { false })
        #expect(claim.flights.map(\.request.id) == [StoreWorkbench.id(2)])
        #expect(claim.unneeded.map(\.request.id) == [StoreWorkbench.id(1)])
        #expect(claim.putBack.isEmpty && claim.storeFailure == nil)
    }

    @Test("The store's claim reads no content file, because commits wait for it")
    func claimReadsNothing() async throws {
        let owner = try bench.register()
        let file = try await submit(1, String(repeating: "long ", count: 20_000))
        _ = try hide(file)
        let claim = try sqlite.store.claim(
            ClaimQuery(owner: owner, provider: "p", scope: .everything, limit: 1, now: StoreWorkbench.date(10)))
        let claimed = try #require(claim.flights.first)
        #expect(claimed.failure == nil && claimed.request.prompt == "")
        #expect(sqlite.store.files.location(of: try #require(claimed.promptContent)) == file)
    }

    @Test("A request whose prompt is missing fails with contentMissing")
    func gone() async throws {
        let owner = try bench.register()
        try FileManager.default.removeItem(at: try await submit(1, String(repeating: "gone ", count: 20_000)))
        #expect(try bench.claimOne(owner).failure?.code == .contentMissing)
    }
}
