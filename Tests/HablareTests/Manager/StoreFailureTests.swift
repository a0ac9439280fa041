import Foundation
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

@Suite(.timeLimit(.minutes(5)))
struct StoreFailureTests {
    private let store = ProcessStore()

    @Test("A submission that cannot be stored throws and sends nothing, and the next one works")
    func submission() async throws {
        let provider = ScriptedProvider(limits: ProviderLimits(concurrency: 1))
        let engine = try Engine([provider], store: store)
        let manager = engine.manager
        try await engine.run { () async throws in
            for _ in 0..<40 {
                store.fail { if case .submit = $0 { true } else { false } }
                #expect(await code { try await manager.submit(AIRequest(prompt: "x"), to: "scripted") } == .storageFull)
                store.recover()
            }
            #expect(provider.record.calls.isEmpty)
            #expect(try await text(manager.execute(AIRequest(prompt: "y"), with: "scripted")) == "y")
        }
        #expect(try store.statistics().requests == [.completed: 1])
    }

    @Test(
        "An attempt that cannot be journalled fails its waiters and is sent when the store recovers")
    func start() async throws {
        let provider = ScriptedProvider()
        let engine = try Engine([provider], store: store)
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        try await manager.submit(request, to: "scripted")
        store.fail { if case .advance(_, let transition, _) = $0 { transition.new.isExecuting } else { false } }
        try await engine.run {
            let isTold = Locked(false)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    #expect(await code { _ = try await manager.outcome(of: request.id) } == .storageFull)
                    isTold.withLock { $0 = true }
                }
                // It may have failed before a waiter arrived. Then it fails again at the next renewal.
                try await engine.advance(by: .seconds(5)) { isTold.withLock { $0 } }
                try await group.waitForAll()
            }
            #expect(provider.record.calls.isEmpty)
            #expect(try await manager.status(for: request.id) == .pending)
            store.recover()
            try await engine.advance(by: .seconds(5)) { try await manager.status(for: request.id).isFinal }
            #expect(try await text(manager.execute(requestID: request.id)) == "x")
        }
        #expect(provider.record.calls.count == 1)
        #expect(engine.log.says("error: An attempt could not be journalled, so it was not sent"))
    }

    @Test(
        "An outcome that cannot be stored is kept and recorded once later, without another call"
    )
    func outcome() async throws {
        let gate = Gate()
        let provider = gated(gate)
        let engine = try Engine([provider], store: store)
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            store.fail()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let statuses = try await manager.statusUpdates(for: request.id)
                    #expect(await code { _ = try await collect(statuses) } == .storageFull)
                }
                group.addTask {
                    #expect(await code { _ = try await manager.execute(requestID: request.id) } == .storageFull)
                }
                try await waitUntil { manager.engine.read { $0.watched.watcherCount(of: request.id) } >= 2 }
                gate.open()
                try await group.waitForAll()
            }
            #expect(
                try await manager.status(for: request.id).phase == .executing,
                "nothing was announced that is not stored")
            for _ in 0..<3 { try await engine.tickRenewal() }
            store.recover()
            try await engine.tickRenewal()
            try await engine.expectSoon { try await manager.status(for: request.id).isFinal }
            #expect(try await text(manager.execute(requestID: request.id)) == "x")
        }
        #expect(provider.record.calls.count == 1)
        #expect(try await manager.attempts(for: request.id).map(\.outcome) == [.completed])
        #expect(engine.log.says("error: An attempt's end could not be recorded; the engine tries again"))
    }

    @Test("An engine with unrecorded answers is deallocated with its manager")
    func goesAway() async throws {
        let gate = Gate()
        weak var left: Hablare.Engine?
        do {
            let engine = try Engine([gated(gate)], store: store)
            let manager = engine.manager
            left = manager.engine
            try await engine.run {
                try await manager.submit(AIRequest(prompt: "x"), to: "scripted")
                await gate.arrivals(reach: 1)
                store.fail()
                gate.open()
                try await waitUntil { manager.engine.read(\.hasUnrecordedEnds) }
            }
        }
        try await waitUntil { left == nil }
    }

    @Test("While the store fails nothing starts, and afterwards each request runs once")
    func parked() async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 2)
        let engine = try Engine([provider], store: store)
        let manager = engine.manager
        let batch = (0..<60).map { AIRequest(prompt: .text("\($0)")) }
        try await engine.run {
            let ids = try await manager.submit(batch, to: "scripted", jobKey: JobKey(rawValue: "j"))
            await gate.arrivals(reach: 2)
            store.fail()
            gate.open()
            for _ in 0..<5 { try await engine.tickRenewal() }
            #expect(provider.record.calls.count == 2)
            store.recover()
            try await engine.advance(by: .seconds(5)) {
                try await manager.statistics().requests == [.completed: 60]
            }
            for (number, id) in ids.enumerated() {
                #expect(try await text(manager.execute(requestID: id)) == "\(number)")
            }
        }
        #expect(provider.record.calls.count == 60)
    }

    @Test("While an answer's content cannot be stored nothing is sent, even if commits succeed")
    func contentFails() async throws {
        let content = TestContent()
        let provider = ScriptedProvider(limits: ProviderLimits(concurrency: 1))
        let engine = try Engine([provider], store: ProcessStore(content: content))
        let manager = engine.manager
        content.fail(with: AIServiceError(.storageFull, "Full."))
        let batch = (0..<5).map { AIRequest(prompt: .messages([.init(role: .user, parts: [.text("\($0)")])])) }
        try await engine.run {
            let ids = try await manager.submit(batch, to: "scripted", jobKey: JobKey(rawValue: "j"))
            try await engine.advance(by: .seconds(5)) { content.refused > 6 }
            #expect(provider.record.calls.count <= 2, "one more was sent while the first answer was being stored")
            content.fail(with: nil)
            try await engine.advance(by: .seconds(5)) { try await manager.statistics().requests == [.completed: 5] }
            for (number, id) in ids.enumerated() {
                #expect(try await text(manager.execute(requestID: id)) == "\(number)")
            }
        }
        #expect(provider.record.calls.count == 5)
    }

    @Test("An answer whose content can never be stored fails its request, and others continue")
    func contentFailsForEver() async throws {
        let content = TestContent()
        let provider = ScriptedProvider(limits: ProviderLimits(concurrency: 1))
        let engine = try Engine([provider], store: ProcessStore(content: content))
        let manager = engine.manager
        content.fail(with: AIServiceError(.storageFull, "Full."))
        let batch = (0..<2).map { AIRequest(prompt: .messages([.init(role: .user, parts: [.text("\($0)")])])) }
        try await engine.run {
            let ids = try await manager.submit(batch, to: "scripted", jobKey: JobKey(rawValue: "j"))
            try await engine.advance(by: .seconds(5)) { try await manager.status(for: ids[0]).isFinal }
            content.fail(with: nil)
            #expect(await code { _ = try await manager.execute(requestID: ids[0]) } == .storageFull)
            #expect(try await manager.attempts(for: ids[0]).map(\.billing) == [.billed], "it was paid for")
            try await engine.advance(by: .seconds(5)) { try await manager.status(for: ids[1]).isFinal }
        }
    }

    @Test(
        "An answer that never fits fails its request, even if smaller ones fit, and others continue",
        arguments: [false, true])
    func noRoomForEver(isStreaming: Bool) async throws {
        let provider = ScriptedProvider(limits: ProviderLimits(concurrency: 1)) { call in
            do {
                guard call.isStreaming else { return .success(ProviderAnswer(.text(Body("large")))) }
                try await call.yield("large")
                return .success(ProviderAnswer(streamed: .text))
            } catch {
                return .failure(AIServiceError(.connectionLost, "Cut off."))
            }
        }
        let engine = try Engine([provider], store: store)
        let manager = engine.manager
        let requests = (0..<2).map {
            AIRequest(prompt: .text("\($0)"), streaming: isStreaming ? StreamingPolicy(allowsRestart: true) : nil)
        }
        store.fail(on: {
            switch $0 {
            case .append: true
            case .settle(let end): end.bringsContent
            default: false
            }
        })
        try await engine.run {
            // In one commit: a second commit could share its own with a piece that does not fit.
            _ = try await manager.submit(requests, to: "scripted", jobKey: JobKey(rawValue: "j"))
            try await engine.advance(by: .seconds(5)) { try await manager.status(for: requests[0].id).isFinal }
            store.recover()
            #expect(await code { _ = try await manager.execute(requestID: requests[0].id) } == .storageFull)
            #expect(try await manager.attempts(for: requests[0].id).map(\.billing) == [.billed], "it was paid for")
            try await engine.advance(by: .seconds(5)) { try await manager.status(for: requests[1].id).isFinal }
        }
        #expect(provider.record.calls.count == 2)
    }

    @Test("A cancellation that cannot be stored throws, and the request continues")
    func cancellation() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate)], store: store)
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            store.fail { if case .cancel = $0 { true } else { false } }
            #expect(await code { try await manager.cancelRequest(request.id) } == .storageFull)
            store.recover()
            gate.open()
            #expect(try await text(manager.execute(requestID: request.id)) == "x")
        }
    }
}
