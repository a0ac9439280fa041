import Foundation
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

@Suite(.timeLimit(.minutes(5)))
struct StatusStreamTests {
    @Test("A watcher receives the current status first and the outcome last")
    func order() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate)])
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        try await manager.submit(request, to: "scripted")
        let early = try await manager.statusUpdates(for: request.id)
        var iterator = early.makeAsyncIterator()
        #expect(try await iterator.next() == .pending)
        try await engine.run {
            await gate.arrivals(reach: 1)
            let late = try await manager.statusUpdates(for: request.id)
            gate.open()
            let response = try await manager.execute(requestID: request.id)
            let statuses = try await collect(late)
            #expect(statuses.last == .completed(response))
            #expect(statuses.count { $0.isFinal } == 1)
        }
        var last: RequestStatus?
        while let status = try await iterator.next() { last = status }
        #expect(last?.phase == .completed)
    }

    @Test("The outcome of a final request is delivered even after the shutdown")
    func afterTheShutdown() async throws {
        let engine = try Engine()
        let manager = engine.manager
        let (done, waiting) = (AIRequest(prompt: "x"), AIRequest(prompt: "y"))
        try await engine.run { _ = try await manager.execute(done, with: "scripted") }
        try await manager.submit(waiting, to: "scripted")
        #expect(try await collect(manager.statusUpdates(for: done.id)).map(\.phase) == [.completed])
        #expect(await code { _ = try await collect(manager.statusUpdates(for: waiting.id)) } == .suspended)
    }

    @Test("Progress is delivered live, and a slow reader gets the newest and always the outcome")
    func progress() async throws {
        let gate = Gate()
        let told = Gate()
        let provider = ScriptedProvider { call in
            do { try await told.pass() } catch {}
            for step in 1...1_000 { call.report(progress: Double(step) / 1_000) }
            call.report(progress: .nan)
            call.report(progress: 7)
            do { try await gate.pass() } catch {}
            return .success(ProviderAnswer(.text("x")))
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x")
            try await manager.submit(request, to: "scripted")
            let slow = try await manager.statusUpdates(for: request.id)
            told.open()
            await gate.arrivals(reach: 1)
            #expect(try await manager.status(for: request.id) == .executing(progress: 1))
            gate.open()
            _ = try await manager.execute(requestID: request.id)
            let statuses = try await collect(slow)
            #expect(statuses.count <= 2 && statuses.last?.phase == .completed)
        }
    }

    @Test("Readers that are cancelled while progress is delivered do not block the engine")
    func cancelledReaders() async throws {
        let isOver = Locked(false)
        let provider = ScriptedProvider { call in
            var step = 0.0
            while !isOver.withLock({ $0 }) {
                step += 1
                call.report(progress: step.truncatingRemainder(dividingBy: 1_000) / 1_000)
                await Task.yield()
            }
            return .success(ProviderAnswer(.text("x")))
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x")
            try await manager.submit(request, to: "scripted")
            for _ in 0..<2_000 {
                let reader = TaskSpawner(executor: nil).start {
                    do { for try await _ in try await manager.statusUpdates(for: request.id) {} } catch {}
                }
                await Task.yield()
                reader.cancel()
            }
            isOver.withLock { $0 = true }
            _ = try await manager.execute(requestID: request.id)
            try await waitUntil { manager.watchedCount == 0 }
        }
    }

    @Test("Progress reported after the answer is not delivered")
    func lateProgress() async throws {
        let provider = failing(1, with: AIServiceError(.overloaded, "Overloaded."))
        let engine = try Engine([provider], configuration: EngineConfiguration(attemptTimeout: .seconds(1_000_000)))
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x")
            try await manager.submit(request, to: "scripted")
            try await waitUntil { try await !manager.attempts(for: request.id).isEmpty }
            let statuses = try await manager.statusUpdates(for: request.id)
            provider.record.calls.first?.report(progress: 0.5)
            #expect(manager.engine.read { $0.watched.progress(of: request.id) } == nil)
            try await manager.cancelRequest(request.id)
            #expect(try await collect(statuses).last == .cancelled)
        }
    }

    @Test("Many watchers each get the outcome and leave nothing behind")
    func many() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate)])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x")
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            try await withThrowingTaskGroup(of: RequestPhase?.self) { group in
                for _ in 0..<50 {
                    let statuses = try await manager.statusUpdates(for: request.id)
                    group.addTask { try await collect(statuses).last?.phase }
                }
                gate.open()
                for try await phase in group { #expect(phase == .completed) }
            }
            #expect(manager.engine.read(\.watched.ids).isEmpty)
        }
    }

    @Test("Watching an unknown request leaves nothing behind")
    func unknown() async throws {
        let manager = try Engine().manager
        #expect(await code { _ = try await manager.statusUpdates(for: UUID.timeOrdered()) } == .unknownRequest)
        #expect(await code { _ = try await manager.outcome(of: UUID.timeOrdered()) } == .unknownRequest)
        #expect(manager.engine.read(\.watched.ids).isEmpty)
    }

    @Test("A watcher of a retried request receives the new outcome")
    func retried() async throws {
        let engine = try Engine([failing(1)])
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        try await engine.run {
            _ = await code { _ = try await manager.execute(request, with: "scripted") }
        }
        try await manager.retry(request.id)
        try await engine.run {
            let statuses = try await manager.statusUpdates(for: request.id)
            _ = try await manager.execute(requestID: request.id)
            #expect(try await collect(statuses).last?.phase == .completed)
        }
    }
}
