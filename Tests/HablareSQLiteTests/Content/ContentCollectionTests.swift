import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareSQLite

@Suite struct ContentCollectionTests {
    private let sqlite: SQLiteBench
    private var bench: StoreWorkbench { sqlite.bench }
    private let owner: OwnerID

    init() throws {
        sqlite = try SQLiteBench()
        owner = try sqlite.bench.register()
    }

    private func complete(_ number: Int, with body: Body) throws {
        try bench.submit(number)
        let attempt = try bench.startNext(owner)
        #expect(try bench.write(.settle(attempt.completed(.text(body)))) == .done)
    }

    @Test("A response in a file is read back, even after the store is reopened")
    func readBack() async throws {
        try complete(1, with: try await sqlite.put("large"))
        let response = try #require(try sqlite.reopened().store.response(of: StoreWorkbench.id(1)))
        let body = try #require(try response.content.body)
        #expect(body.fileURL != nil)
        #expect(body.byteCount == 5)
        #expect(try body.read() == Data("large".utf8))
    }

    @Test("A content file is removed exactly with its last reference", arguments: [false, true])
    func lastReference(byDeletion: Bool) async throws {
        let body = try await sqlite.put("shared")
        for number in 1...3 { try complete(number, with: body) }
        for number in 1...3 {
            #expect(try sqlite.contentFiles.count == 1)
            #expect(try body.read() == Data("shared".utf8))
            let id = StoreWorkbench.id(number)
            let write = byDeletion ? StoreWrite.delete(id, at: StoreWorkbench.date(9)) : .evict(id)
            #expect(try bench.write(write) == .done)
        }
        #expect(try sqlite.contentFiles == [])
    }

    @Test("A file that is one request's prompt and another's response stays until both are gone")
    func promptAndResponse() async throws {
        let body = try await sqlite.put("both")
        var submission = try StoreWorkbench.submission(1, prompt: "both")
        submission.promptContent = body.reference
        try bench.submit(submission)
        let attempt = try bench.startNext(owner)
        _ = try bench.write(.settle(attempt.completed(.text("small"))))
        try complete(2, with: body)
        _ = try bench.write(.delete(StoreWorkbench.id(2), at: StoreWorkbench.date(1)))
        #expect(try bench.store.request(of: StoreWorkbench.id(1))?.request.prompt == "both")
        _ = try bench.write(.evict(StoreWorkbench.id(1)))
        #expect(try sqlite.contentFiles.count == 1, "evicting a response leaves the prompt")
        _ = try bench.write(.delete(StoreWorkbench.id(1), at: StoreWorkbench.date(1)))
        #expect(try sqlite.contentFiles == [])
    }

    @Test("The content of a refused outcome is collected unless another row refers to it")
    func refusedOutcome() async throws {
        let shared = try await sqlite.put("shared")
        try complete(1, with: shared)
        for (number, text) in [(2, "shared"), (3, "unwanted")] {
            let body = try await sqlite.put(text)
            try bench.submit(number)
            let attempt = try bench.startNext(owner)
            _ = try bench.write(.cancel(attempt.request, at: StoreWorkbench.date(5)))
            #expect(try bench.write(.settle(attempt.completed(.text(body)))) == .refused(.settled(.cancelled)))
            #expect(try sqlite.contentFiles.count == 1)
        }
        #expect(try shared.read() == Data("shared".utf8))
    }

    @Test("The prompt file of a refused or repeated submission is collected")
    func refusedSubmission() async throws {
        try bench.submit(1, job: "j", position: 0)
        var conflict = try StoreWorkbench.submission(2, prompt: "other", job: "j", position: 0)
        conflict.promptContent = try await sqlite.put("other").reference
        guard case .rejected = try bench.write(.submit(conflict)) else { return #expect(Bool(false)) }
        #expect(try sqlite.contentFiles == [])
    }

    @Test("Submitting a large prompt again keeps its file")
    func resubmission() async throws {
        var submission = try StoreWorkbench.submission(1, prompt: "large")
        submission.promptContent = try await sqlite.put("large").reference
        try bench.submit(submission)
        submission.promptContent = try await sqlite.put("large").reference
        guard case .submitted(let receipt) = try bench.write(.submit(submission)) else { return #expect(Bool(false)) }
        #expect(receipt.wasPresent)
        #expect(try bench.store.request(of: StoreWorkbench.id(1))?.request.prompt == "large")
    }

    @Test("An outcome whose content was collected is refused with contentMissing, and nothing is written")
    func collectedMeanwhile() async throws {
        try bench.submit(1)
        let attempt = try bench.startNext(owner)
        let body = try await sqlite.put("answer")
        try FileManager.default.removeItem(at: #require(body.fileURL))
        let reference = try #require(body.reference)
        let end = attempt.completed(.text(body))
        #expect(try bench.write(.settle(end)) == .contentMissing(reference))
        #expect(try bench.store.snapshot(of: attempt.request)?.phase == .executing)
        #expect(try bench.store.attempts(of: attempt.request) == [])
        _ = try await sqlite.put("answer")
        #expect(try bench.write(.settle(end)) == .done)

        var submission = try StoreWorkbench.submission(2, prompt: "prompt")
        submission.promptContent = ContentReference(digest: Data(repeating: 7, count: 32), byteCount: 6)
        let receipts = try bench.store.commit([.submit(submission), .submit(try StoreWorkbench.submission(3))]).receipts
        #expect(try receipts.first == .contentMissing(#require(submission.promptContent)))
        #expect(try bench.store.snapshot(of: StoreWorkbench.id(2)) == nil)
        #expect(try bench.store.snapshot(of: StoreWorkbench.id(3)) != nil)
    }

    @Test("A damaged file counts as missing when an outcome is recorded, so it is stored again")
    func damagedMeanwhile() async throws {
        try bench.submit(1)
        let attempt = try bench.startNext(owner)
        let body = try await sqlite.put("answer")
        try Data("answ".utf8).write(to: #require(body.fileURL))
        #expect(try bench.write(.settle(attempt.completed(.text(body)))) == .contentMissing(#require(body.reference)))
    }

    @Test("A file that cannot be removed fails no commit and is collected later")
    func stubbornFile() async throws {
        let body = try await sqlite.put("stubborn")
        try complete(1, with: body)
        let file = try #require(body.fileURL)
        try FileManager.default.removeItem(at: file)
        let blocker = file.appendingPathComponent("blocker")
        try FileManager.default.createDirectory(at: blocker, withIntermediateDirectories: true)
        let writes: [StoreWrite] = [
            .submit(try StoreWorkbench.submission(2)), .delete(StoreWorkbench.id(1), at: StoreWorkbench.date(1)),
        ]
        let receipts = try bench.store.commit(writes).receipts
        #expect(receipts.last == .done)
        #expect(try bench.store.snapshot(of: StoreWorkbench.id(1)) == nil)
        #expect(try bench.store.snapshot(of: StoreWorkbench.id(2)) != nil)
        try FileManager.default.removeItem(at: file)
        _ = try await sqlite.put("stubborn")
        try bench.submit(3)
        #expect(try sqlite.contentFiles == [], "the next commit collects what the last one could not")
    }

    @Test("A missing prompt fails only its own request's claim")
    func missingPrompt() async throws {
        for number in 1...3 {
            var submission = try StoreWorkbench.submission(number, prompt: .text("large \(number)"))
            submission.promptContent = try await sqlite.put("large \(number)").reference
            try bench.submit(submission)
        }
        let gone = try await sqlite.put("large 2")
        try FileManager.default.removeItem(at: #require(gone.fileURL))
        let claimed = try bench.claim(owner, limit: 9)
        #expect(claimed.map(\.failure?.code) == [nil, .contentMissing, nil])
        #expect(claimed[0].request.prompt == "large 1")
        #expect(claimed[2].request.prompt == "large 3")
        #expect(try serviceError { _ = try bench.store.request(of: StoreWorkbench.id(2)) }.code == .contentMissing)
        #expect(try bench.store.snapshots(SnapshotFilter()).count == 3)
    }

    @Test("Content stored during a deletion of the same content is not lost")
    func race() async throws {
        let store = sqlite.store
        let owner = self.owner
        for number in 0..<4 { try bench.submit(number) }
        let attempts = try (0..<4).map { _ in try bench.startNext(owner) }
        // Four flights have the same content as outcome. Each is completed, evicted and read in its own order.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for attempt in attempts {
                group.addTask {
                    let bench = StoreWorkbench(store: store)
                    var attempt = attempt
                    for round in 1...40 {
                        var receipt = WriteReceipt.unknownRequest
                        repeat {
                            let body = Body(try await store.files.put(Data("contested".utf8)), in: store.files)
                            receipt = try bench.write(.settle(attempt.completed(.text(body))))
                        } while receipt != .done
                        let response = try #require(try store.response(of: attempt.request))
                        #expect(try response.content.body?.read() == Data("contested".utf8))
                        _ = try bench.write(.delete(attempt.request, at: StoreWorkbench.date(1)))
                        let number = 1000 * Int(attempt.flight.rawValue) + round
                        var next = try StoreWorkbench.submission(number)
                        try next.flight.leased(by: owner)
                        try next.flight.attemptStarted(token: 1)
                        attempt = RunningAttempt(
                            flight: try bench.submit(next), request: next.request.id, lifecycle: next.flight,
                            startedAt: next.createdAt)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try sqlite.contentFiles == [])
    }
}
