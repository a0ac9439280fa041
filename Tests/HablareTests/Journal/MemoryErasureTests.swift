import Foundation
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct MemoryErasureTests {
    @Test("Of a flight that its last member left for a new one nothing but the number and the ledger stays")
    func retriedAlone() throws {
        var tables = MemoryTables()
        for number in 1...2 {
            _ = tables.apply(.submit(try StoreWorkbench.submission(number, prompt: .text("secret"))))
        }
        let flight = try #require(tables.requests[StoreWorkbench.id(1)]?.flight)
        #expect(tables.requests[StoreWorkbench.id(2)]?.flight == flight)
        _ = tables.apply(.cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(1)))
        guard case .owner(let owner) = tables.apply(.registerOwner(StoreWorkbench.registration(1))) else { return }
        let claimed = try #require(
            tables.claim(
                ClaimQuery(owner: owner, provider: "p", scope: .everything, limit: 1, now: StoreWorkbench.date(1))
            ).flights.first)
        let start = try StoreWorkbench.start(claimed.lifecycle)
        _ = tables.apply(.advance(flight, start, at: StoreWorkbench.date(2)))
        let attempt = RunningAttempt(
            flight: flight, request: claimed.request.id, lifecycle: start.new, startedAt: StoreWorkbench.date(2))
        #expect(tables.apply(.settle(attempt.completed())) != .done, "another member was there")
        _ = tables.apply(.delete(StoreWorkbench.id(1), at: StoreWorkbench.date(3)))
        #expect(tables.flights[flight]?.request != nil, "the other one may be retried")
        _ = tables.apply(.retry(StoreWorkbench.id(2), at: StoreWorkbench.date(4)))
        #expect(tables.flights[flight]?.request == nil && tables.responses[flight] == nil)
        let next = try #require(tables.requests[StoreWorkbench.id(2)]?.flight)
        #expect(tables.flights[next]?.request?.prompt == "secret")
        #expect(tables.ledger[flight]?.count == 1)
    }
}
