import Foundation
import Hablare
import HablareStores
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite struct OwnWorkTests {
    private static let error = AIServiceError(.providerFailed, "It failed.")
    private static let late = AttemptEnd.Outcome.postponed(error, until: StoreWorkbench.date(0))

    private func answer(_ number: Int) -> AttemptEnd.Outcome {
        .completed(
            AIResponseData(
                requestID: StoreWorkbench.id(number), providerID: "p", result: .success(.text(Body("an answer"))),
                receivedAt: StoreWorkbench.date(0)))
    }

    private func note(
        _ own: OwnWork, _ outcome: AttemptEnd.Outcome, _ flight: FlightLifecycle.State, finishing numbers: Int...
    ) {
        own.noted(.ended(outcome, flight, finishing: numbers.map(StoreWorkbench.id)))
    }

    @Test(arguments: [true, false])
    func `A wait may read an end in the store before its event, or after`(isBefore: Bool) {
        let own = OwnWork()
        let members = [StoreWorkbench.id(1), StoreWorkbench.id(2)]
        if isBefore { for id in members { own.waited(for: id, .completed) } }
        note(own, answer(1), .settled(.completed), finishing: 1, 2)
        if !isBefore { for id in members { own.waited(for: id, .completed) } }
        #expect(own.ended.here == [.completed: 2])
        #expect(own.ended.elsewhere[.completed, default: 0] == 0)
        own.waited(for: StoreWorkbench.id(3), .completed)
        own.waited(for: StoreWorkbench.id(4), .failed)
        #expect(own.ended.elsewhere[.completed] == 1)
        #expect(own.ended.count(.completed) == 3)
        #expect(own.ended.count(.failed) == 1)
        own.forgetRequests()
        #expect(own.ended.count(.completed) == 3)
    }

    @Test func `Every end counts, also where no one waits, and no request that goes on`() throws {
        let own = OwnWork()
        note(own, answer(1), .settled(.completed), finishing: 1)
        note(own, .failed(Self.error), .settled(.failed), finishing: 2)
        #expect(own.ended.here == [.completed: 1, .failed: 1])
        note(own, Self.late, .backingOff(until: StoreWorkbench.date(0)))
        note(own, .held(Self.error), .held)
        note(own, .interrupted, .waiting)
        note(own, .expired, .waiting)
        own.noted(.discarded(.test(answer(7))))
        #expect(own.ended.here == [.completed: 1, .failed: 1])
        note(own, Self.late, .settled(.failed), finishing: 9)
        note(own, Self.late, .waiting, finishing: 10)
        note(own, .expired, .waiting, finishing: 11)
        own.noted(.failed(StoreWorkbench.id(12), of: FlightID(rawValue: 12), .deadlineExceeded))
        #expect(own.ended.here == [.completed: 1, .failed: 5])
    }

    @Test func `A process knows itself by its registration`() {
        let own = OwnWork()
        own.noted(.registered(OwnerID(rawValue: 7)))
        #expect(own.owners == [OwnerID(rawValue: 7)])
    }

    /// A store whose commits of ends are on disk for a while before they return.
    private struct LateStore: ForwardingStore {
        let base: any RequestStore
        let written: Gate
        let answer: DispatchSemaphore

        func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
            let commit = try base.commit(writes)
            guard writes.contains(where: { if case .settle = $0 { true } else { false } }) else { return commit }
            written.open()
            answer.wait()
            return commit
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `Once the events are told, an end counts that was read in the store before`() async throws {
        let own = OwnWork()
        let (written, answer) = (Gate(), DispatchSemaphore(value: 0))
        let store = LateStore(base: InMemoryStore(), written: written, answer: answer)
        let manager = AIRequestManager(
            store: store, providers: try ProviderRegistry([ScriptedProvider(id: "p")]),
            seams: EngineSeams(follower: own.noted))
        try await EngineService.run(manager) {
            let id = try await manager.submit(AIRequest(prompt: "x"), to: "p")
            try await written.pass()
            #expect(try await manager.status(for: id).isFinal)
            own.waited(for: id, .completed)
            #expect(own.ended.elsewhere == [.completed: 1])
            async let told: Void = manager.eventsTold()
            answer.signal()
            await told
            #expect(own.ended.here == [.completed: 1] && own.ended.elsewhere == [.completed: 0])
        }
    }
}
