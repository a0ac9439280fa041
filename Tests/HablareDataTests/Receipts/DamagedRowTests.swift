import Foundation
import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareData

@Suite("Damaged rows", .timeLimit(.minutes(2)))
struct DamagedRowTests {
    @Test(
        "A damaged promise is skipped and logged, and the others are fulfilled",
        arguments: ["request = x'01'", "target = x'ff'", "promised_at = 'soon'"])
    func promise(damage: String) async throws {
        let bench = try await DataWorkbench()
        let coordinator = bench.coordinator
        let damaged = try await coordinator.submit(
            AIRequest(prompt: "Damaged"), mergingInto: "article.summary", row: 1)
        try await coordinator.submit(AIRequest(prompt: "Summary"), mergingInto: "article.summary", row: 2)
        try await bench.database.write { database in
            try database.execute(
                sql: "UPDATE hablare_promises SET \(damage) WHERE request = ?", arguments: [damaged])
        }
        try await bench.runningBoth {
            try await bench.soon { try await bench.article(2).summary == "Summary" }
        }
        #expect(try await coordinator.pendingMerges().isEmpty)
        #expect(try await bench.article(1).summary == nil)
        #expect(bench.log.says("warning: Some promises of merges cannot be read"))
        let rows = try await bench.database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM hablare_promises") }
        #expect(rows == 1)
    }

    @Test(
        "Reading a damaged persisted response throws an error",
        arguments: ["request = x'01'", "provider = x'ff'", "metadata = '?'", "metadata = x'ff'", "received_at = 'now'"])
    func response(damage: String) async throws {
        let bench = try await DataWorkbench()
        try await bench.coordinator.persistResponse(HablareDataTests.response("Hello"))
        #expect(try await bench.database.read { try PersistedResponse.fetchAll($0) }.count == 1)
        try await bench.database.write { try $0.execute(sql: "UPDATE hablare_responses SET \(damage)") }
        await #expect(throws: (any Error).self) {
            _ = try await bench.database.read { try PersistedResponse.fetchAll($0) }
        }
    }
}
