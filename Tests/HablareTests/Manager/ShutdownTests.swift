import Foundation
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

@Suite(.timeLimit(.minutes(5)))
struct ShutdownTests {
    @Test("A shutdown lets running attempts finish within the grace and releases queued requests")
    func grace() async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 1)
        let engine = try Engine([provider])
        let manager = engine.manager
        let requests = (0..<3).map { AIRequest(prompt: .text("\($0)")) }
        let isQueued = Latch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await engine.run {
                    try await engine.warmUp()
                    for request in requests { try await manager.submit(request, to: "scripted") }
                    await gate.arrivals(reach: 1)
                    try await waitUntil { try await manager.snapshot(for: requests[2].id).holder != nil }
                    isQueued.open()
                }
            }
            await isQueued.wait()
            // The queued requests are released before the running one ends.
            try await waitUntil { try await manager.snapshot(for: requests[2].id).holder == nil }
            gate.open()
            try await group.waitForAll()
        }
        let phases = try requests.map { try engine.store.snapshot(of: $0.id)?.phase }
        #expect(phases == [.completed, .pending, .pending])
        #expect(provider.record.calls.count == 2, "the warm-up and the one that was under way")
        #expect(try engine.store.owners().isEmpty)
    }

    @Test("After the shutdown grace attempts are stopped and their requests wait")
    func afterGrace() async throws {
        let gate = Gate()
        let provider = gated(gate)
        let engine = try Engine([provider], configuration: EngineConfiguration(shutdownGrace: .seconds(10)))
        let manager = engine.manager
        let request = AIRequest(prompt: "x", attemptTimeout: .seconds(1_000_000))
        let isOver = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await engine.run {
                    try await manager.submit(request, to: "scripted")
                    await gate.arrivals(reach: 1)
                }
                isOver.withLock { $0 = true }
            }
            await gate.arrivals(reach: 1)
            try await engine.advance { isOver.withLock { $0 } }
            try await group.waitForAll()
        }
        #expect(try await manager.status(for: request.id) == .pending)
        let attempts = try await manager.attempts(for: request.id)
        #expect(attempts.map(\.outcome) == [.interrupted] && attempts.map(\.billing) == [.maybeBilled])
        #expect(provider.record.cancellations == 1)
        #expect(engine.clock.now.offset >= .seconds(10))
    }

    @Test("The process deregisters only after all ends are recorded")
    func registration() async throws {
        let latch = Latch()
        let content = TestContent(latch: latch)
        let provider = ScriptedProvider()
        let engine = try Engine([provider], store: ProcessStore(content: content))
        let manager = engine.manager
        let request = AIRequest(prompt: .messages([.init(role: .user, parts: [.text("x")])]))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await engine.run {
                    try await manager.submit(request, to: "scripted")
                    try await waitUntil { content.begun >= 1 }
                }
            }
            try await waitUntil { content.begun >= 1 }
            // Long enough for a process that does not wait to be gone.
            for _ in 0..<20_000 where try !engine.store.owners().isEmpty { try await pause() }
            #expect(try engine.store.owners().count == 1, "its answer is being written")
            latch.open()
            try await group.waitForAll()
        }
        #expect(try engine.store.owners().isEmpty)
        #expect(try await manager.attempts(for: request.id).map(\.outcome) == [.completed])
    }

    @Test("Waiters and watchers get the suspended error on a shutdown, including late ones")
    func suspended() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate)], configuration: EngineConfiguration(shutdownGrace: .zero))
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await engine.run {
                    try await manager.submit(request, to: "scripted")
                    await gate.arrivals(reach: 1)
                    try await waitUntil { !manager.engine.read(\.watched.ids).isEmpty }
                }
            }
            await gate.arrivals(reach: 1)
            let statuses = try await manager.statusUpdates(for: request.id)
            #expect(await code { _ = try await collect(statuses) } == .suspended)
            try await group.waitForAll()
        }
        #expect(await code { _ = try await manager.outcome(of: request.id) } == .suspended)
        #expect(await code { _ = try await collect(manager.statusUpdates(for: request.id)) } == .suspended)
        #expect(manager.engine.read(\.watched.ids).isEmpty)
    }

    @Test("A waiter that starts after the shutdown has its answer already")
    func late() async throws {
        let engine = try Engine()
        try await engine.run {}
        let waiter = engine.manager.engine.expectOutcome(of: StoreWorkbench.id(1))
        // A task that is cancelled before it waits gets only what the waiter received before.
        let received = await withTaskGroup(of: AIServiceError.Code?.self) { group in
            group.cancelAll()
            group.addTask { await code { _ = try await waiter.value() } }
            return await group.next() ?? nil
        }
        #expect(received == .suspended)
    }

    @Test("The same manager can run again and resumes its requests")
    func runsAgain() async throws {
        let gate = Gate()
        let provider = gated(gate)
        let engine = try Engine([provider], configuration: EngineConfiguration(shutdownGrace: .zero))
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
        }
        gate.open()
        let response = try await engine.run { try await manager.execute(requestID: request.id) }
        #expect(try await text(response) == "x")
        #expect(try await manager.attempts(for: request.id).map(\.outcome) == [.interrupted, .completed])
    }

    @Test("A second engine of the same manager is refused with advice, and the first continues")
    func oneAtATime() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate)])
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            let body = Locked(false)
            let refused = await #expect(throws: AIServiceError.self) {
                try await engine.soon { try await EngineService.run(manager) { body.withLock { $0 = true } } }
            }
            #expect(refused?.code == .invalidState)
            #expect(refused?.message.contains("another engine after it has ended") == true)
            let isBegun = body.withLock { $0 }
            #expect(!isBegun, "its body is not begun")
            // An engine that started would have to be ended: it would run as long as the other one.
            let code = await code { try await engine.soon { try await EngineService(manager).run() } }
            try #require(code == .invalidState)
            gate.open()
            #expect(try await text(manager.execute(requestID: request.id)) == "x")
        }
        try await engine.run {}
        #expect(try engine.store.owners().isEmpty)
    }

    @Test("A second engine is refused while the manager is suspended")
    func oneAtRest() async throws {
        let engine = try Engine()
        let manager = engine.manager
        try await engine.run {
            await manager.suspend(for: .background, grace: .zero)
            let code = await code { try await engine.soon { try await EngineService(manager).run() } }
            try #require(code == .invalidState)
            manager.resume(from: .background)
            let answer = try await text(manager.execute(AIRequest(prompt: "again"), with: "scripted"))
            #expect(answer == "again")
        }
    }

    @Test("An answer that arrives despite the shutdown is the outcome")
    func answersAllTheSame() async throws {
        let gate = Gate()
        let provider = ScriptedProvider { _ in
            do { try await gate.pass() } catch {}
            return .success(ProviderAnswer(.text("done already")))
        }
        let engine = try Engine([provider], configuration: EngineConfiguration(shutdownGrace: .zero))
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
        }
        #expect(try await manager.status(for: request.id).phase == .completed)
    }

    @Test("Cancelling the service stops attempts at once, without grace")
    func cancellation() async throws {
        let gate = Gate()
        let provider = gated(gate)
        let engine = try Engine([provider])
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await EngineService(manager).run() }
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(try await manager.status(for: request.id) == .pending)
        #expect(try engine.store.owners().isEmpty)
    }

    @Test("An error of the body is rethrown after the engine has shut down")
    func throwing() async throws {
        let engine = try Engine()
        await #expect(throws: CancellationError.self) { try await engine.run { throw CancellationError() } }
        #expect(try engine.store.owners().isEmpty)
    }
}
