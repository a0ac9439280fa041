import Foundation
import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareSQLite

/// Compares the cache's columns with the responses.
@Suite struct CacheCheckTests {
    private let sqlite: SQLiteBench

    init() throws {
        sqlite = try SQLiteBench()
        try StoreLife(bench: sqlite.bench).begin()
    }

    private func problems(after damage: String) throws -> [StoreDiagnosis.Finding] {
        try sqlite.store.pool.write { try $0.execute(sql: damage) }
        return try sqlite.store.diagnose().findings.filter(\.isProblem)
    }

    @Test func `A cached answer stays consistent until it leaves the cache`() throws {
        let writes: [StoreWrite] = [
            .pin(StoreWorkbench.id(50), true), .evict(StoreWorkbench.id(50)), .evict(StoreWorkbench.id(52)),
            .uncache(.everything), .delete(StoreWorkbench.id(50), at: StoreWorkbench.date(99)),
            .delete(StoreWorkbench.id(52), at: StoreWorkbench.date(99)),
        ]
        #expect(try sqlite.store.statistics().cachedAnswers == 1)
        #expect(try problems(after: "") == [])
        for write in writes {
            _ = try sqlite.bench.write(write)
            #expect(try problems(after: "") == [], "\(write)")
        }
    }

    @Test func `A failed request is not found in the cache`() throws {
        let bench = sqlite.bench
        try bench.submit(90)
        try bench.finishNext(try bench.register(9), failing: AIServiceError(.invalidRequest, "No."))
        #expect(try problems(after: "") == [])
    }

    @Test(
        "diagnose finds a missing or wrongly sized cached answer, and names its request",
        arguments: [
            "UPDATE flights SET answer_size = answer_size + 1 WHERE used_at IS NOT NULL",
            "UPDATE flights SET answer_size = NULL WHERE used_at IS NOT NULL",
            "UPDATE flights SET used_at = NULL WHERE used_at IS NOT NULL",
            "UPDATE responses SET body = NULL, spare = NULL WHERE flight IN (SELECT id FROM flights WHERE used_at > 0)",
            "UPDATE flights SET findable = NULL WHERE used_at IS NOT NULL",
        ])
    func wrong(damage: String) throws {
        let found = try problems(after: damage)
        #expect(found.map(\.kind) == [.cacheInconsistent])
        #expect(found.first?.message.contains(StoreWorkbench.id(50).uuidString.lowercased()) == true)
    }

    @Test func `An answer of an unfinished flight in the cache is found`() throws {
        let damage =
            "UPDATE flights SET used_at = 1, answer_size = 6 WHERE member = (SELECT id FROM requests LIMIT 1 OFFSET 3)"
        #expect(try problems(after: damage).map(\.kind) == [.cacheInconsistent])
    }
}
