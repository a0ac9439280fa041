import Foundation
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStores

@Suite struct MemoryErasureTests {
    @Test("Of a flight that its last member left for a new one nothing but the number and the ledger stays")
    func retriedAlone() throws {
        var machine = StoreMachine(MemoryRows())
        for number in 1...2 {
            _ = machine.apply(.submit(try StoreWorkbench.submission(number, prompt: .text("secret"))))
        }
        let flight = try #require(machine.rows.requests[StoreWorkbench.id(1)]?.flight)
        #expect(machine.rows.requests[StoreWorkbench.id(2)]?.flight == flight)
        _ = machine.apply(.cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(1)))
        guard case .owner(let owner) = machine.apply(.registerOwner(StoreWorkbench.registration(1))) else { return }
        let claimed = try #require(
            machine.claim(
                ClaimQuery(owner: owner, provider: "p", scope: .everything, limit: 1, now: StoreWorkbench.date(1))
            ).flights.first)
        let start = try StoreWorkbench.start(claimed.lifecycle)
        _ = machine.apply(.advance(flight, start, at: StoreWorkbench.date(2)))
        let attempt = RunningAttempt(
            flight: flight, request: claimed.request.id, lifecycle: start.new, startedAt: StoreWorkbench.date(2))
        #expect(machine.apply(.settle(attempt.completed())) == .done)
        _ = machine.apply(.delete(StoreWorkbench.id(1), at: StoreWorkbench.date(3)))
        #expect(machine.rows.prompts[flight] != nil, "the other one may be retried")
        _ = machine.apply(.retry(StoreWorkbench.id(2), at: StoreWorkbench.date(4)))
        #expect(machine.rows.prompts[flight] == nil && machine.rows.responses[flight] == nil)
        let next = try #require(machine.rows.requests[StoreWorkbench.id(2)]?.flight)
        #expect(machine.rows.prompts[next]?.prompt == "secret")
        #expect(machine.rows.ledger[flight]?.count == 1)
    }
}
