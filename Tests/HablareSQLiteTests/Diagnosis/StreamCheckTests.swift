import Foundation
import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareSQLite

/// Inconsistent chunks are found by `diagnose`.
@Suite struct StreamCheckTests {
    private let sqlite: SQLiteBench
    private let attempt: RunningAttempt

    init() throws {
        sqlite = try SQLiteBench()
        attempt = try sqlite.bench.startStream(StreamingPolicy(allowsRestart: true))
        for (first, words) in [(0, ["In "]), (1, ["the ", "beginning "]), (3, ["was"])] {
            #expect(try sqlite.bench.append(attempt, first, words) == .done)
        }
    }

    private func problems(after damage: String) throws -> [StoreDiagnosis.Finding] {
        try sqlite.store.pool.write { try $0.execute(sql: damage) }
        return try sqlite.store.diagnose().findings.filter(\.isProblem)
    }

    @Test func `Running, restarted and complete streams are consistent`() throws {
        #expect(try problems(after: "") == [])
        let owner = try #require(attempt.lifecycle.owner)
        _ = try sqlite.bench.write(.retireOwner(owner, at: StoreWorkbench.date(5)))
        let again = try sqlite.bench.startNext(try sqlite.bench.register(2))
        #expect(try sqlite.bench.append(again, 0, ["Anew"]) == .done)
        #expect(try problems(after: "") == [])
        var end = again.completed(.text(Body("Anew")))
        end.isStreaming = true
        #expect(try sqlite.bench.write(.settle(end)) == .done)
        #expect(try problems(after: "") == [])
    }

    @Test(
        "diagnose finds a gap in a stream's numbers or bytes, and names the request",
        arguments: [
            "DELETE FROM chunks WHERE first = 1", "DELETE FROM chunks WHERE first = 0",
            "UPDATE chunks SET start = start + 1 WHERE first = 3", "UPDATE chunks SET count = 1 WHERE first = 1",
            "UPDATE chunks SET bytes = x'00' WHERE first = 3", "UPDATE chunks SET first = 2 WHERE first = 1",
        ])
    func gap(damage: String) throws {
        let found = try problems(after: damage)
        #expect(found.map(\.kind) == [.streamBroken])
        #expect(found.first?.message.contains(StoreWorkbench.id(1).uuidString.lowercased()) == true)
    }

    @Test func `Chunks without a flight are found`() throws {
        let found = try problems(after: "UPDATE chunks SET flight = 999")
        #expect(found.map(\.kind) == [.chunksUnowned])
        #expect(found.first?.message.hasPrefix("3 groups") == true)
    }
}
