import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite struct OwnWorkTests {
    private static let date = StoreWorkbench.date(0)
    private static let error = AIServiceError(.providerFailed, "It failed.")

    private func end(_ number: Int, _ outcome: AttemptEnd.Outcome) -> StoreWrite {
        .settle(
            AttemptEnd(
                flight: FlightID(rawValue: Int64(number)), request: StoreWorkbench.id(number), provider: "p",
                lifecycle: FlightLifecycle(), outcome: outcome, billing: .billed, startedAt: Self.date,
                endedAt: Self.date))
    }

    private func answer(_ number: Int) -> AttemptEnd.Outcome {
        .completed(
            AIResponseData(
                requestID: StoreWorkbench.id(number), providerID: "p", result: .success(.text(Body("an answer"))),
                receivedAt: Self.date))
    }

    private func commit(_ own: OwnWork, _ writes: [StoreWrite], _ receipts: [WriteReceipt]) {
        own.commitBegins()
        own.commitEnds(writes, receipts)
    }

    @Test(arguments: [true, false])
    func `Who waits for an end may read it before the commit is answered, or after`(isBefore: Bool) {
        let own = OwnWork()
        let members = [StoreWorkbench.id(1), StoreWorkbench.id(2)]
        own.commitBegins()
        if isBefore {
            for id in members { own.waited(for: id, .completed) }
            own.forgetRequests()
        }
        own.commitEnds([end(1, answer(1))], [.ended(finished: members, goesOn: false)])
        if !isBefore { for id in members { own.waited(for: id, .completed) } }
        #expect(own.ended.here == [.completed: 2])
        #expect(own.ended.elsewhere[.completed, default: 0] == 0)
        own.waited(for: StoreWorkbench.id(3), .completed)
        own.waited(for: StoreWorkbench.id(4), .failed)
        #expect(own.ended.elsewhere[.completed] == 1)
        #expect(own.ended.count(.completed) == 3)
        #expect(own.ended.count(.failed) == 1)
    }

    @Test func `What ends counts, also where nobody waits, and nothing that goes on or was not written`() {
        let own = OwnWork()
        let late = AttemptEnd.Outcome.postponed(Self.error, until: Self.date)
        let one = [StoreWorkbench.id(9)]
        commit(own, [end(1, answer(1)), end(2, .failed(Self.error))], [.done, .done])
        #expect(own.ended.here == [.completed: 1, .failed: 1])
        let unfinished = [end(3, late), end(4, .held(Self.error)), end(5, .interrupted), end(6, .expired)]
        commit(own, unfinished, [.done, .done, .done, .done])
        commit(own, [end(7, answer(7))], [])
        commit(own, [end(8, answer(8))], [.refused(.settled(.completed))])
        #expect(own.ended.here == [.completed: 1, .failed: 1])
        commit(
            own, [end(9, late), end(9, late), end(9, .expired)],
            [.ended(finished: one, goesOn: false), .diverted(finished: one), .ended(finished: one, goesOn: true)])
        let expired = ExpiredRequest(id: StoreWorkbench.id(9), flight: FlightID(rawValue: 9), token: nil)
        commit(own, [.expire(at: Self.date, limit: 9)], [.expired([expired], next: nil)])
        #expect(own.ended.here == [.completed: 1, .failed: 5])
    }

    @Test func `A process knows itself by what the store called it`() {
        let own = OwnWork()
        commit(own, [.registerOwner(StoreWorkbench.registration(1))], [.owner(OwnerID(rawValue: 7))])
        #expect(own.owners == [OwnerID(rawValue: 7)])
    }
}
