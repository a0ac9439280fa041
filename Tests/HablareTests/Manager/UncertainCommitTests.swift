import Foundation
import HablareStores
import HablareTestKit
import Testing

@testable import Hablare

/// A store that loses its connection during a commit, whose outcome is then unknown.
@Suite(.timeLimit(.minutes(5)))
struct UncertainCommitTests {
    enum Write: CaseIterable {
        case submission, start, end

        func isLeased(in write: StoreWrite) -> Bool {
            switch (self, write) {
            case (.submission, .submit), (.end, .settle), (.start, .start): true
            case (.start, .advance(_, let transition, _)): transition.new.isExecuting
            default: false
            }
        }
    }

    @Test(
        "After a commit of unknown outcome the process registers again and the request is answered once",
        arguments: Write.allCases, [true, false])
    func registersAgain(write: Write, isMade: Bool) async throws {
        let provider = ScriptedProvider()
        let store = ProcessStore()
        let engine = try Engine([provider], store: store)
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        store.loseNextCommit(isMade: isMade) { write.isLeased(in: $0) }
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
            // The end of an attempt leaves no lease.
            if write == .end { return }
            try await engine.advance(by: .seconds(5)) {
                engine.log.says("warning: It is unknown whether a commit was made; this process registers again")
            }
        }
        #expect(try store.statistics().requests == [.completed: 1])
        #expect(try store.owners().isEmpty)
        // An attempt whose end may be recorded is not repeated: its answer was recorded, or is recorded later.
        let calls = provider.record.calls.count
        #expect(write == .submission ? calls <= 2 : calls == 1)
    }

    @Test(
        "After an uncertain removal of a resume handle the stored state decides what follows", arguments: [true, false])
    func forgotten(isMade: Bool) async throws {
        let provider = ScriptedProvider { call in
            do {
                guard call.handle == nil else {
                    try await call.resume()
                    try await call.yield("y")
                    return .success(ProviderAnswer(streamed: .text))
                }
                try await call.remember(Data("work".utf8))
                try await call.yield("x")
                try await call.forget()
                return .success(ProviderAnswer(streamed: .text))
            } catch {
                return .failure(AIServiceError(.overloaded, "Too much is asked."))
            }
        }
        let store = ProcessStore()
        let configuration = EngineConfiguration(
            attemptTimeout: .seconds(1000), retry: RetryPolicy(baseDelay: .zero), breaker: .never)
        let engine = try Engine([provider], store: store, configuration: configuration)
        let request = AIRequest(prompt: "x", streaming: StreamingPolicy())
        store.loseNextCommit(isMade: isMade) { write in
            if case .remember(let memory) = write { memory.handle == nil } else { false }
        }
        try await engine.run {
            try await engine.manager.submit(request, to: "scripted")
            try await engine.advance(by: .seconds(5)) { try await engine.manager.status(for: request.id).isFinal }
        }
        // Without a resume handle the stream is not restarted.
        #expect(provider.record.calls.count == (isMade ? 1 : 2))
        #expect(try store.snapshot(of: request.id)?.phase == (isMade ? .failed : .completed))
    }

    @Test("Without an engine, a subscriber receives a cancellation whose commit had an unknown outcome")
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
    @Test("Rows are dated by the store's own clock if it has one")
    func dates() async throws {
        let store = DatedStore()
        let engine = try Engine(store: store)
        let request = AIRequest(prompt: "x")
        try await engine.manager.submit(request, to: "scripted")
        #expect(try store.snapshot(of: request.id)?.createdAt == StoreWorkbench.date(7))
    }
}
