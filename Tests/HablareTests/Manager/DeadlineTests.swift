import Foundation
import Hablare
import HablareTestKit
import Testing

/// A request past its deadline is not sent and ends on time.
@Suite(.timeLimit(.minutes(5)))
struct DeadlineTests {
    private let configuration = EngineConfiguration(attemptTimeout: .seconds(1_000_000))

    @Test("A deadline in the past or zero attempts are refused with advice")
    func refused() async throws {
        let engine = try Engine()
        let past = AIRequest(prompt: "x", deadline: engine.dates.now)
        let error = await #expect(throws: AIServiceError.self) { try await engine.manager.submit(past, to: "scripted") }
        #expect(error?.code == .invalidRequest && error?.message.contains("deadline") == true)
        let never = AIRequest(prompt: "x", deadline: Date(timeIntervalSince1970: .nan))
        #expect(await code { try await engine.manager.submit(never, to: "scripted") } == .invalidRequest)
        let none = AIRequest(prompt: "x", maximumAttempts: 0)
        #expect(await code { try await engine.manager.submit(none, to: "scripted") } == .invalidRequest)
    }

    @Test("A queued request expires at its deadline without cost, and frees its place in the queue")
    func expiresInQueue() async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 1)
        let engine = try Engine([provider], configuration: configuration)
        let manager = engine.manager
        try await engine.run {
            let first = AIRequest(prompt: "1")
            let second = AIRequest(prompt: "2", deadline: StoreWorkbench.date(3))
            let third = AIRequest(prompt: "3")
            for request in [first, second, third] { try await manager.submit(request, to: "scripted") }
            #expect(try await manager.snapshot(for: second.id).deadline == StoreWorkbench.date(3))
            try await engine.pass(2.5)
            #expect(try await manager.snapshot(for: second.id).phase == .pending)
            try await engine.pass(1)
            let outcome = try await engine.soon { try await manager.outcome(of: second.id) }
            guard case .failed(let error) = outcome else {
                Issue.record("It did not fail")
                return
            }
            #expect(error.code == .deadlineExceeded)
            gate.open()
            _ = try await engine.soon { try await manager.execute(requestID: third.id) }
            #expect(provider.record.calls.map(\.request.id) == [first.id, third.id])
            #expect(try await manager.attempts(for: second.id).isEmpty)
        }
    }

    @Test("A running attempt is stopped at the deadline and recorded as maybe billed")
    func expiresUnderWay() async throws {
        let gate = Gate()
        let provider = gated(gate)
        let engine = try Engine([provider], configuration: configuration)
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x", deadline: StoreWorkbench.date(3))
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            #expect(provider.record.calls.map(\.timeout) == [.seconds(3)])
            try await engine.pass(4)
            #expect(await code { _ = try await manager.execute(requestID: request.id) } == .deadlineExceeded)
            try await engine.expectSoon { provider.record.cancellations == 1 }
            try await engine.expectSoon {
                try await manager.attempts(for: request.id).first?.error?.code == .deadlineExceeded
            }
            let attempts = try await manager.attempts(for: request.id)
            #expect(attempts.map(\.billing) == [.maybeBilled] && attempts.map(\.outcome) == [.failed])
        }
    }

    @Test("A retry past the deadline is not waited for")
    func noRetryInVain() async throws {
        let provider = failing(
            9, with: AIServiceError(.rateLimited, "Slower.", disposition: .retry(after: .seconds(10))))
        let engine = try Engine([provider], configuration: configuration)
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x", deadline: StoreWorkbench.date(5))
            #expect(await code { _ = try await manager.execute(request, with: "scripted") } == .rateLimited)
        }
    }

    @Test("A request that expired without an engine fails at the start unsent, and can be retried")
    func passedMeanwhile() async throws {
        let provider = ScriptedProvider()
        let engine = try Engine([provider], configuration: configuration)
        let manager = engine.manager
        let request = AIRequest(prompt: "x", deadline: StoreWorkbench.date(5))
        try await manager.submit(request, to: "scripted")
        engine.dates.advance(by: 5)
        try await engine.run {
            #expect(await code { _ = try await manager.execute(requestID: request.id) } == .deadlineExceeded)
            #expect(provider.record.calls.isEmpty)
            try await manager.retry(request.id)
            #expect(try await text(manager.execute(requestID: request.id)) == "x")
            #expect(try await manager.snapshot(for: request.id).deadline == nil)
        }
    }

    @Test("A watcher of a request gets its expiry")
    func told() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate, concurrency: 1)], configuration: configuration)
        let manager = engine.manager
        try await engine.run {
            try await manager.submit(AIRequest(prompt: "1"), to: "scripted")
            let request = AIRequest(prompt: "2", deadline: StoreWorkbench.date(3))
            try await manager.submit(request, to: "scripted")
            let statuses = try await manager.statusUpdates(for: request.id)
            try await engine.pass(3.5)
            let last = try await engine.soon { try await collect(statuses).last }
            #expect(last?.phase == .failed)
            gate.open()
        }
    }

    @Test("A request whose deadline passes during journalling is not sent")
    func passesWhileJournalled() async throws {
        let store = ProcessStore()
        let provider = ScriptedProvider()
        let engine = try Engine([provider], store: store, configuration: configuration)
        let manager = engine.manager
        let request = AIRequest(prompt: "x", deadline: StoreWorkbench.date(3))
        try await manager.submit(request, to: "scripted")
        store.fail { [dates = engine.dates] write in
            if case .advance(_, let transition, _) = write, transition.new.isExecuting { dates.advance(by: 3) }
            return false
        }
        try await engine.run { () async throws in
            #expect(await code { _ = try await manager.execute(requestID: request.id) } == .deadlineExceeded)
            #expect(provider.record.calls.isEmpty)
            let attempts = try await manager.attempts(for: request.id)
            #expect(attempts.map(\.billing) == [.neverSent])
        }
    }

    @Test("A request that expired during sleep is not even journalled")
    func passedAsleep() async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 1)
        let engine = try Engine([provider], configuration: configuration)
        let manager = engine.manager
        try await engine.run {
            let first = AIRequest(prompt: "1")
            let second = AIRequest(prompt: "2", deadline: StoreWorkbench.date(3))
            try await engine.warmUp()
            for request in [first, second] { try await manager.submit(request, to: "scripted") }
            await gate.arrivals(reach: 1)
            try await waitUntil { try await manager.snapshot(for: second.id).holder != nil }
            engine.dates.advance(by: 5)  // and no timer fired
            gate.open()
            _ = try await manager.execute(requestID: first.id)
            try await engine.tickRenewal()
            #expect(await code { _ = try await manager.execute(requestID: second.id) } == .deadlineExceeded)
            #expect(provider.record.calls.dropFirst().map(\.request.id) == [first.id])
            #expect(try await manager.attempts(for: second.id).isEmpty)
        }
    }

    @Test("Deadlines in the distant future are accepted")
    func absurd() async throws {
        let engine = try Engine(configuration: configuration)
        try await engine.run {
            for date in [Date.distantFuture, Date(timeIntervalSince1970: 1e300)] {
                _ = try await engine.manager.execute(AIRequest(prompt: "x", deadline: date), with: "scripted")
            }
        }
    }
}
