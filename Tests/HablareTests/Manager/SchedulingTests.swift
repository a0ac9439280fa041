import Foundation
import Hablare
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

/// Which requests a process runs, how many at once, and in which order.
@Suite(.timeLimit(.minutes(5)))
struct SchedulingTests {
    @Test("A process with the scope of a job runs only that job")
    func jobScope() async throws {
        let store = InMemoryStore()
        let mine = JobKey(rawValue: "mine")
        let yesterday = try Engine(store: store).manager
        let old = try await yesterday.submit(
            [AIRequest(prompt: "old")], to: "scripted", jobKey: JobKey(rawValue: "old"))
        try await yesterday.submit(AIRequest(prompt: "single"), to: "scripted")
        let waiting = try await yesterday.submit([AIRequest(prompt: "0")], to: "scripted", jobKey: mine)
        let provider = ScriptedProvider()
        let engine = try Engine([provider], store: store, configuration: EngineConfiguration(scope: .job(mine)))
        let manager = engine.manager
        try await engine.run {
            let ids = try await manager.submit(
                (0..<3).map { AIRequest(prompt: .text("\($0)")) }, to: "scripted", jobKey: mine)
            #expect(ids.first == waiting.first)
            for id in ids { _ = try await manager.execute(requestID: id) }
            try await manager.submit(AIRequest(prompt: "for somebody else"), to: "scripted")
            try await engine.tickRenewal()
        }
        #expect(provider.record.calls.map(\.request.prompt.plainText).sorted() == ["0", "1", "2"])
        #expect(try await manager.status(for: old[0]) == .pending)
        #expect(try await manager.statistics().requests == [.completed: 3, .pending: 3])
    }

    @Test("A waiting request runs once it is adopted into the job of the process's scope")
    func adoptedIntoScope() async throws {
        let store = InMemoryStore()
        let mine = JobKey(rawValue: "mine")
        let request = AIRequest(prompt: "submitted on its own")
        try await Engine(store: store).manager.submit(request, to: "scripted")
        let engine = try Engine(store: store, configuration: EngineConfiguration(scope: .job(mine)))
        let manager = engine.manager
        try await engine.run {
            // The process has claimed once and found nothing of its job.
            _ = try await manager.submit([AIRequest(prompt: "first")], to: "scripted", jobKey: mine)
            try await engine.tickRenewal()
            #expect(try await manager.status(for: request.id) == .pending)
            _ = try await manager.submit([AIRequest(prompt: "first"), request], to: "scripted", jobKey: mine)
            try await engine.expectSoon { try await manager.status(for: request.id).isFinal }
        }
    }

    @Test("A process with the scope of a request runs only that, even in another request's flight")
    func requestScope() async throws {
        let store = InMemoryStore()
        let yesterday = try Engine(store: store).manager
        try await yesterday.submit(AIRequest(prompt: "old"), to: "scripted")
        try await yesterday.submit(AIRequest(prompt: "the same"), to: "scripted")
        for words in ["mine", "the same"] {
            let mine = AIRequest(prompt: .text(words))
            let provider = ScriptedProvider()
            let engine = try Engine(
                [provider], store: store, configuration: EngineConfiguration(scope: .request(mine.id)))
            let manager = engine.manager
            try await engine.run {
                try await manager.submit(AIRequest(prompt: "for somebody else"), to: "scripted")
                try await manager.submit(mine, to: "scripted")
                _ = try await manager.execute(requestID: mine.id)
                try await engine.tickRenewal()
            }
            #expect(provider.record.calls.map(\.request.prompt.plainText) == [words])
        }
    }

    @Test("A process with the widest scope runs everything for its own providers only")
    func everything() async throws {
        let store = InMemoryStore()
        let before = try Engine([ScriptedProvider(id: "a"), ScriptedProvider(id: "b")], store: store).manager
        let mine = AIRequest(prompt: "1")
        let others = AIRequest(prompt: "2")
        try await before.submit(mine, to: "a")
        try await before.submit(others, to: "b")
        let engine = try Engine([ScriptedProvider(id: "a")], store: store)
        try await engine.run {
            _ = try await engine.manager.execute(requestID: mine.id)
            try await engine.tickRenewal()
        }
        #expect(try await engine.manager.status(for: others.id) == .pending)
    }

    @Test("Concurrent calls reach a provider's limit and never exceed it", arguments: [1, 3, 8])
    func concurrency(limit: Int) async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: limit)
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let ids = try await manager.submit(
                (0..<100).map { AIRequest(prompt: .text("\($0)")) }, to: "scripted", jobKey: JobKey(rawValue: "j"))
            for number in 0..<50 {
                await gate.arrivals(reach: min(100, limit + number))
                gate.admitOne()
            }
            gate.open()
            for id in ids { _ = try await manager.execute(requestID: id) }
        }
        #expect(provider.record.maximumRunning == limit)
        #expect(provider.record.calls.count == 100)
    }

    @Test("A stuck provider does not block another")
    func independent() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate, id: "stuck", concurrency: 1), ScriptedProvider(id: "free")])
        let manager = engine.manager
        try await engine.run {
            for _ in 0..<50 { try await manager.submit(AIRequest(prompt: "x"), to: "stuck") }
            for _ in 0..<50 { _ = try await manager.execute(AIRequest(prompt: "y"), with: "free") }
            gate.open()
        }
    }

    @Test("Urgent requests run first, others in order of submission", arguments: [false, true])
    func priority(fromBacklog: Bool) async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 1)
        let engine = try Engine([provider])
        let manager = engine.manager
        let first = AIRequest(prompt: "first", priority: .high)
        let priorities: [Priority] = [.low, .normal, .high, .low, .normal, .high]
        let rest = priorities.enumerated().map { AIRequest(prompt: .text("\($0.offset)"), priority: $0.element) }
        if fromBacklog {
            for request in [first] + rest { try await manager.submit(request, to: "scripted") }
        }
        try await engine.run {
            if !fromBacklog {
                try await manager.submit(first, to: "scripted")
                await gate.arrivals(reach: 1)
                for request in rest { try await manager.submit(request, to: "scripted") }
            }
            gate.open()
            for request in [first] + rest { _ = try await manager.execute(requestID: request.id) }
        }
        #expect(provider.record.calls.map(\.request.prompt.plainText) == ["first", "2", "5", "1", "4", "0", "3"])
    }

    @Test("A backlog of urgent requests in the store does not starve the others, even one at a time")
    func noStarvationInTheBacklog() async throws {
        let dates = Locked<ManualDates?>(nil)
        // Calls that take ten seconds, so the lane claims one whenever it sends one.
        let provider = ScriptedProvider(limits: ProviderLimits(concurrency: 1)) { call in
            dates.withLock { $0 }?.advance(by: 10)
            return .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
        }
        let engine = try Engine([provider])
        dates.withLock { $0 = engine.dates }
        let manager = engine.manager
        let patient = AIRequest(prompt: "patient", priority: .low)
        try await manager.submit(patient, to: "scripted")
        for number in 0..<40 {
            try await manager.submit(AIRequest(prompt: .text("urgent \(number)"), priority: .high), to: "scripted")
        }
        try await engine.run { _ = try await manager.execute(requestID: patient.id) }
        let place = provider.record.calls.firstIndex { $0.request.id == patient.id }
        #expect(try #require(place) <= 13 + 13)
    }

    @Test("A flood of urgent requests does not starve the others")
    func noStarvation() async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 1)
        let engine = try Engine([provider])
        let manager = engine.manager
        let patient = AIRequest(prompt: "patient", priority: .low)
        try await engine.run {
            try await manager.submit(AIRequest(prompt: "first"), to: "scripted")
            await gate.arrivals(reach: 1)
            try await manager.submit(patient, to: "scripted")
            for _ in 0..<12 { try await manager.submit(AIRequest(prompt: "urgent", priority: .high), to: "scripted") }
            gate.open()
            _ = try await manager.execute(requestID: patient.id)
        }
        let place = provider.record.calls.firstIndex { $0.request.id == patient.id }
        #expect(try #require(place) <= 1 + 12)
    }
}
