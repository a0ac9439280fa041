import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareSQLite

/// Rows that cannot be written: each is refused separately, without harm to the others of its commit.
@Suite struct RefusedRowsTests {
    private let sqlite: SQLiteBench
    private var bench: StoreWorkbench { sqlite.bench }
    private let owner: OwnerID

    init() throws {
        sqlite = try SQLiteBench()
        owner = try sqlite.bench.register()
    }

    @Test("A prompt whose image file is missing is refused alone")
    func unreadablePrompt() async throws {
        let picture = try await sqlite.put("picture")
        let prompt = Prompt.messages([Prompt.Message(role: .user, parts: [.image(picture, .png)])])
        let submission = try StoreWorkbench.submission(2, prompt: prompt)
        try FileManager.default.removeItem(at: #require(picture.fileURL))
        let receipts = try bench.store.commit([
            .submit(try StoreWorkbench.submission(1)), .submit(submission), .submit(try StoreWorkbench.submission(3)),
        ]).receipts
        guard case .rejected(let error) = receipts[1] else {
            Issue.record("It was answered \(receipts[1])")
            return
        }
        #expect(error.code == .contentMissing)
        #expect(try bench.store.snapshots(SnapshotFilter()).map(\.id) == [1, 3].map(StoreWorkbench.id))
    }

    @Test("An answer that cannot be encoded is refused alone and leaves its flight unchanged")
    func unwritableAnswer() throws {
        for number in 1...2 { try bench.submit(number) }
        let first = try bench.startNext(owner)
        let second = try bench.startNext(owner)
        let receipts = try bench.store.commit([
            .settle(first.completed(.structured(["a": .double(.nan)]))), .settle(second.completed()),
        ]).receipts
        guard case .rejected(let error) = receipts[0] else {
            Issue.record("It was answered \(receipts[0])")
            return
        }
        #expect(error.code == .invalidResponse)
        #expect(receipts[1] == .done)
        #expect(try bench.store.snapshot(of: first.request)?.phase == .executing)
        #expect(try bench.store.attempts(of: first.request) == [])
        #expect(try bench.write(.settle(first.failed(error))) == .done)
    }

    @Test("Extreme dates are stored as the farthest representable ones")
    func farDates() throws {
        for (number, seconds) in [1e300, -1e300, .infinity, -.infinity, .nan].enumerated() {
            var submission = try StoreWorkbench.submission(number)
            submission.createdAt = Date(timeIntervalSince1970: seconds)
            try bench.submit(submission)
            #expect(try bench.store.snapshot(of: StoreWorkbench.id(number)) != nil)
        }
    }

    @Test("A timeout below a millisecond is not stored as no timeout")
    func shortTimeout() throws {
        let request = AIRequest(id: StoreWorkbench.id(1), prompt: "", attemptTimeout: .microseconds(5))
        try bench.submit(StoreWorkbench.submission(of: request))
        #expect(try bench.store.request(of: request.id)?.request.attemptTimeout == .milliseconds(1))
    }

    @Test("The maximum timeout is read back as a very long one")
    func longTimeout() throws {
        let request = AIRequest(id: StoreWorkbench.id(1), prompt: "", attemptTimeout: .seconds(Int64.max))
        try bench.submit(StoreWorkbench.submission(of: request))
        let stored = try #require(try bench.store.request(of: request.id)?.request.attemptTimeout)
        #expect(stored > .seconds(1_000_000_000))
    }
}
