import Foundation
import HablareStores
import HablareTestKit
import Testing

@testable import Hablare

/// A store that loses its connection during a commit cannot say whether that was made.
@Suite(.timeLimit(.minutes(5)))
struct UncertainCommitTests {
    enum Write: CaseIterable {
        case submission, start, end

        func isHeld(in write: StoreWrite) -> Bool {
            switch (self, write) {
            case (.submission, .submit), (.end, .settle), (.start, .start): true
            case (.start, .advance(_, let transition, _)): transition.new.isExecuting
            default: false
            }
        }
    }

    @Test(
        "The process registers again, and the request is answered once",
        arguments: Write.allCases, [true, false])
    func registersAgain(write: Write, isMade: Bool) async throws {
        let provider = ScriptedProvider()
        let store = ProcessStore()
        let engine = try Engine([provider], store: store)
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        store.loseNextCommit(isMade: isMade) { write.isHeld(in: $0) }
        if write == .start { try await manager.submit(request, to: "scripted") }
        try await engine.run {
            if write == .submission {
                let code = await code { try await manager.submit(request, to: "scripted") }
                #expect(code == .storageUncertain)
                #expect(try (store.snapshot(of: request.id) != nil) == isMade)
            }
            if write != .start { try await manager.submit(request, to: "scripted") }
            try await engine.advance(by: .seconds(5)) { try await manager.status(for: request.id).isFinal }
            #expect(try await text(manager.execute(requestID: request.id)) == "x")
            // The end of an attempt gives no lease.
            if write == .end { return }
            try await engine.advance(by: .seconds(5)) {
                engine.log.says("warning: Whether a commit was made is unknown; this process registers again")
            }
        }
        #expect(try store.statistics().requests == [.completed: 1])
        #expect(try store.owners().isEmpty)
        // An attempt whose end may be recorded is not made again: its answer was recorded, or is recorded later.
        let calls = provider.record.calls.count
        #expect(write == .submission ? calls <= 2 : calls == 1)
    }

    @Test("Without an engine, too, a subscriber hears of a cancellation whose commit has an unknown outcome")
    func cancellation() async throws {
        let store = ProcessStore(hearsOthers: false)
        let engine = try Engine(store: store)
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        try await manager.submit(request, to: "scripted")
        store.loseNextCommit(isMade: true) { if case .cancel(request.id, _) = $0 { true } else { false } }
        let statuses = try await manager.statusUpdates(for: request.id)
        #expect(await code { try await manager.cancelRequest(request.id) } == .storageUncertain)
        #expect(try await engine.soon { try await collect(statuses).last } == .cancelled)
    }
}

/// A store with a clock of its own.
private struct DatedStore: ForwardingStore {
    let base: any RequestStore = InMemoryStore()
    var date: (@Sendable () -> Date)? { { StoreWorkbench.date(7) } }
}

@Suite struct StoreDateTests {
    @Test("The rows of a store with a clock of its own are dated by that")
    func dates() async throws {
        let store = DatedStore()
        let engine = try Engine(store: store)
        let request = AIRequest(prompt: "x")
        try await engine.manager.submit(request, to: "scripted")
        #expect(try store.snapshot(of: request.id)?.createdAt == StoreWorkbench.date(7))
    }
}
