import Foundation
import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareSQLite

/// The pruning columns of responses: `diagnose` checks them, and a response is not deleted by them alone.
@Suite struct ResponseCheckTests {
    private let sqlite: SQLiteBench

    init() throws {
        sqlite = try SQLiteBench()
        let owner = try sqlite.bench.register()
        var unmerged = AIRequest(id: StoreWorkbench.id(3), prompt: "p")
        unmerged.keepUntilMerged = true
        try sqlite.bench.complete(
            [
                try StoreWorkbench.submission(1), try StoreWorkbench.submission(2, job: "j"),
                try StoreWorkbench.submission(of: unmerged),
            ], by: owner)
    }

    private func damage(_ sql: String) throws {
        try sqlite.store.pool.write { try $0.execute(sql: sql) }
    }

    private var problems: [StoreDiagnosis.Finding.Kind] {
        get throws { try sqlite.store.diagnose().findings.filter(\.isProblem).map(\.kind) }
    }

    @Test("The pruning columns of responses stay correct under every write")
    func sound() throws {
        let id = StoreWorkbench.id
        let writes: [StoreWrite] = [
            .pin(id(1), true), .merged(id(3)), .pin(id(3), true), .pin(id(3), false), .pin(id(1), false),
            .submit(try StoreWorkbench.submission(1, job: "j", position: 1)), .evict(id(3)), .pin(id(3), true),
            .delete(id(2), at: StoreWorkbench.date(9)),
        ]
        #expect(try problems == [])
        for write in writes {
            _ = try sqlite.bench.write(write)
            #expect(try problems == [], "\(write)")
        }
    }

    @Test(
        "diagnose finds a wrong pruning column",
        arguments: ["spare = 5 WHERE flight = 1", "spare = NULL WHERE flight = 1", "spare = 6"]
    )
    func wrong(change: String) throws {
        try damage("UPDATE responses SET \(change)")
        #expect(Set(try problems) == [.responseMiscounted])
    }

    @Test("A protected response wrongly marked as prunable is kept, and the mark is repaired")
    func mended() throws {
        try damage("UPDATE responses SET spare = 6")
        let last = PrunePlan.Position(receivedAt: .distantFuture, flight: FlightID(rawValue: .max))
        #expect(try sqlite.bench.prune(through: last) == Pruned(count: 1, bytes: 6))
        #expect(try [1, 2, 3].map(sqlite.bench.isKept) == [false, true, true])
        #expect(try problems == [])
    }

    @Test("Pruning continues past an evicted response that is marked as having content")
    func evicted() throws {
        _ = try sqlite.bench.write(.evict(StoreWorkbench.id(1)))
        _ = try sqlite.bench.write(.merged(StoreWorkbench.id(3)))
        try damage("UPDATE responses SET spare = 6 WHERE flight = 1")
        let last = PrunePlan.Position(receivedAt: .distantFuture, flight: FlightID(rawValue: .max))
        #expect(try sqlite.bench.prune(through: last, limit: 1) == Pruned(isComplete: false))
        #expect(try sqlite.bench.prune(through: last, limit: 1) == Pruned(count: 1, bytes: 6, isComplete: false))
        #expect(try sqlite.bench.prune(through: last, limit: 1) == Pruned())
        #expect(try [1, 2, 3].map(sqlite.bench.isKept) == [false, true, false])
        #expect(try problems == [])
    }
}
