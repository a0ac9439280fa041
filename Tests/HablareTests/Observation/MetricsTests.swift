import CoreMetrics
import Foundation
import Hablare
import HablareStores
import HablareTestKit
import MetricsTestKit
import Testing
import Tracing

/// The metrics of an engine with a manual clock.
@Suite(.timeLimit(.minutes(5)))
struct MetricsTests {
    private let metrics = TestMetrics()

    private func engine(
        _ providers: [any AIServiceProvider], store: any RequestStore = InMemoryStore(),
        configuration: EngineConfiguration? = nil
    ) throws -> Engine {
        try Engine(
            providers, store: store, configuration: configuration,
            observation: EngineObservation(metrics: metrics, tracer: NoOpTracer()))
    }

    private func count(_ metric: EngineMetric, _ labels: (String, String)...) -> Int64 {
        metrics.counterTotal(label: metric.rawValue, dimensions: labels)
    }

    private func durations(_ metric: EngineMetric, _ labels: (String, String)...) -> [Int64] {
        metrics.timers(label: metric.rawValue, dimensions: labels).flatMap(\.values)
    }

    private func gauge(_ metric: EngineMetric, _ labels: (String, String)...) -> Double? {
        metrics.meters(label: metric.rawValue, dimensions: labels).first?.lastValue
    }

    @Test("Metrics report a call's waiting time and duration and the size of its answer")
    func times() async throws {
        let gate = Gate()
        let engine = try engine([gated(gate, concurrency: 1)])
        try await engine.run {
            let first = try await engine.manager.submit(AIRequest(prompt: "12345"), to: "scripted")
            await gate.arrivals(reach: 1)
            let second = try await engine.manager.submit(AIRequest(prompt: "123"), to: "scripted")
            engine.dates.advance(by: 7)
            engine.clock.advance(by: .seconds(5))
            gate.admitOne()
            _ = try await engine.manager.execute(requestID: first)
            await gate.arrivals(reach: 2)
            engine.clock.advance(by: .seconds(2))
            gate.admitOne()
            _ = try await engine.manager.execute(requestID: second)
        }
        #expect(durations(.queueWait, ("provider", "scripted"), ("attempt", "first")) == [0, 7_000_000_000])
        #expect(
            durations(.attemptDuration, ("provider", "scripted"), ("outcome", "completed"))
                == [5_000_000_000, 2_000_000_000])
        let sizes = metrics.recorders(
            label: EngineMetric.responseBytes.rawValue, dimensions: [("provider", "scripted")])
        #expect(sizes.flatMap(\.values) == [5, 3])
    }

    @Test("Metrics report queue depth and running calls at every change")
    func queue() async throws {
        let gate = Gate()
        let engine = try engine([gated(gate, concurrency: 2)])
        try await engine.run {
            try await engine.warmUp()
            for number in 0..<5 {
                try await engine.manager.submit(AIRequest(prompt: .text("queue \(number)")), to: "scripted")
            }
            await gate.arrivals(reach: 2)
            // Some may be queued by way of the store.
            try await waitUntil { gauge(.queueDepth, ("provider", "scripted")) == 3 }
            #expect(gauge(.callsRunning, ("provider", "scripted")) == 2)
            gate.admitOne()
            try await waitUntil { gauge(.queueDepth, ("provider", "scripted")) == 2 }
            gate.open()
        }
        #expect(gauge(.queueDepth, ("provider", "scripted")) == 0)
        #expect(gauge(.callsRunning, ("provider", "scripted")) == 0)
    }

    @Test("Submissions are counted as new, joined or present")
    func submissions() async throws {
        let engine = try engine([ScriptedProvider()])
        let request = AIRequest(prompt: "the same")
        try await engine.manager.submit(request, to: "scripted")
        try await engine.manager.submit(request, to: "scripted")
        try await engine.manager.submit(AIRequest(prompt: "the same"), to: "scripted")
        for kind in ["new", "joined", "present"] {
            #expect(count(.requestsSubmitted, ("provider", "scripted"), ("as", kind)) == 1)
        }
    }

    @Test("Cache hits and misses are counted, for requests and for lookups")
    func cache() async throws {
        let engine = try engine([ScriptedProvider()])
        try await engine.run {
            for _ in 0..<2 { _ = try await engine.manager.execute(AIRequest(prompt: "cached"), with: "scripted") }
            for _ in 0..<2 {
                _ = try await engine.manager.cachedResponse(to: AIRequest(prompt: "cached"), from: "scripted")
            }
            _ = try await engine.manager.cachedResponse(to: AIRequest(prompt: "other"), from: "scripted")
        }
        #expect(count(.requestsSubmitted, ("provider", "scripted"), ("as", "answered")) == 1)
        #expect(count(.requestsFinished, ("status", "completed")) == 2)
        #expect(count(.cacheLookups, ("provider", "scripted"), ("result", "hit")) == 3)
        #expect(count(.cacheLookups, ("provider", "scripted"), ("result", "miss")) == 2)
    }

    @Test("Failures, retries and outcomes are counted")
    func failures() async throws {
        let engine = try engine(
            [failing(1, with: StoreWorkbench.overloaded)],
            configuration: EngineConfiguration(retry: RetryPolicy(maximumAttempts: 2), breaker: .never))
        try await engine.run {
            let id = try await engine.manager.submit(AIRequest(prompt: "again"), to: "scripted")
            try await engine.pass { try await engine.manager.snapshot(for: id).phase == .completed }
        }
        #expect(count(.attemptFailures, ("provider", "scripted"), ("category", "provider")) == 1)
        #expect(count(.retries, ("provider", "scripted"), ("category", "provider")) == 1)
        #expect(durations(.attemptDuration, ("provider", "scripted"), ("outcome", "retried")).count == 1)
        #expect(durations(.queueWait, ("provider", "scripted"), ("attempt", "again")).count == 1)
        #expect(count(.requestsFinished, ("status", "completed")) == 1)
        #expect(count(.requestsFinished, ("status", "failed")) == 0)
    }

    @Test("A fallback for lack of time counts as a fallback, and a failure counts as neither fallback nor retry")
    func noTimeToRetry() async throws {
        let busy = AIServiceError(.rateLimited, "Later.", disposition: .retry(after: .seconds(120)))
        let busyOnes: [ProviderID] = ["first", "third"]
        let engine = try engine(
            busyOnes.map { ScriptedProvider(id: $0) { _ in .failure(busy) } } + [ScriptedProvider(id: "second")],
            configuration: EngineConfiguration(retry: RetryPolicy(maximumAttempts: 2), breaker: .never))
        try await engine.run {
            for (provider, fallback) in zip(busyOnes, [[FallbackTarget("second")], []]) {
                let request = AIRequest(
                    prompt: .text("to \(provider)"), deadline: StoreWorkbench.date(60), fallback: fallback)
                let id = try await engine.manager.submit(request, to: provider)
                _ = try await engine.soon { try await engine.manager.outcome(of: id) }
            }
        }
        for (provider, fallbacks) in [("first", Int64(1)), ("third", 0)] {
            let labels = [("provider", provider), ("category", "provider")]
            #expect(count(.attemptFailures, labels[0], labels[1]) == 1)
            #expect(count(.retries, labels[0], labels[1]) == 0)
            #expect(count(.fallbacks, labels[0], labels[1]) == fallbacks)
        }
        #expect(count(.requestsFinished, ("status", "completed")) == 1)
        #expect(count(.requestsFinished, ("status", "failed")) == 1)
    }

    @Test("Failed, cancelled and expired requests are counted by outcome")
    func ends() async throws {
        let engine = try engine([failing(1)])
        _ = try await engine.run {
            await #expect(throws: AIServiceError.self) {
                try await engine.manager.execute(AIRequest(prompt: "fails"), with: "scripted")
            }
        }
        let cancelled = try await engine.manager.submit(AIRequest(prompt: "cancelled"), to: "scripted")
        try await engine.manager.cancelRequest(cancelled)
        try await engine.manager.cancelRequest(cancelled)
        let late = AIRequest(prompt: "late", deadline: engine.dates.now.addingTimeInterval(1))
        try await engine.manager.submit(late, to: "scripted")
        engine.dates.advance(by: 2)
        try await engine.run {}
        #expect(count(.requestsFinished, ("status", "failed")) == 1)
        #expect(count(.requestsFinished, ("status", "cancelled")) == 1, "the second time it was final already")
        #expect(count(.requestsFinished, ("status", "expired")) == 1)
    }

    @Test("Known costs are summed by model, and unknown costs are counted separately")
    func costs() async throws {
        let provider = ScriptedProvider { call in
            let isKnown = call.request.model != nil
            var answer = ProviderAnswer(.text("x"))
            answer.usage = Usage(inputTokens: 3, outputTokens: 4, costMicroDollars: isKnown ? 250 : nil)
            return .success(answer)
        }
        let engine = try engine([provider])
        try await engine.run {
            for number in 0..<3 {
                let request = AIRequest(prompt: .text("cost \(number)"), model: number < 2 ? "large" : nil)
                _ = try await engine.manager.execute(request, with: "scripted")
            }
        }
        #expect(count(.cost, ("provider", "scripted"), ("model", "large")) == 500)
        #expect(count(.unknownCosts, ("provider", "scripted"), ("model", "large")) == 0)
        #expect(count(.cost, ("provider", "scripted"), ("model", "none")) == 0)
        #expect(count(.unknownCosts, ("provider", "scripted"), ("model", "none")) == 1)
        #expect(count(.tokens, ("provider", "scripted"), ("model", "large"), ("direction", "input")) == 6)
        #expect(count(.tokens, ("provider", "scripted"), ("model", "large"), ("direction", "output")) == 8)
    }

    @Test("Commits are measured by writes, duration and failures")
    func commits() async throws {
        let store = ProcessStore()
        let engine = try engine([ScriptedProvider()], store: store)
        let key = JobKey(rawValue: "book")
        _ = try await engine.manager.submit(
            (0..<3).map { AIRequest(prompt: .text("\($0)")) }, to: "scripted", jobKey: key)
        #expect(metrics.recorders(label: EngineMetric.commitWrites.rawValue).flatMap(\.values) == [3])
        #expect(durations(.commitDuration, ("kind", "write")) == [0])
        store.fail()
        await #expect(throws: AIServiceError.self) {
            try await engine.manager.submit(AIRequest(prompt: "full"), to: "scripted")
        }
        #expect(count(.commitFailures, ("kind", "write")) == 1)
        #expect(durations(.commitDuration, ("kind", "write")) == [0], "a commit that failed took no time that counts")
    }

    @Test("An opened breaker is counted")
    func breaker() async throws {
        let provider = failing(1, with: StoreWorkbench.overloaded)
        let engine = try engine(
            [provider],
            configuration: EngineConfiguration(
                retry: .never, breaker: BreakerPolicy(threshold: 1)))
        _ = try await engine.run {
            await #expect(throws: AIServiceError.self) {
                try await engine.manager.execute(AIRequest(prompt: "fails"), with: "scripted")
            }
        }
        #expect(count(.breakerOpenings, ("account", "scripted")) == 1)
    }

    @Test("Flights recovered from a dead process are counted")
    func recovered() async throws {
        let store = InMemoryStore()
        let bench = StoreWorkbench(store: store)
        let dead = try bench.register()
        try bench.submit(StoreWorkbench.submission(1, provider: "scripted"))
        _ = try bench.claim(dead, provider: "scripted")
        let engine = try engine([ScriptedProvider()], store: store)
        engine.dates.advance(by: 60)
        try await engine.run { _ = try await engine.manager.execute(requestID: StoreWorkbench.id(1)) }
        #expect(count(.flightsRecovered) == 1)
    }

    @Test("Every metric is in the documented table under its name")
    func table() throws {
        let source = try String(
            contentsOf: Repository.file("Sources/Hablare/Observation/EngineMetric.swift"), encoding: .utf8)
        let document = try String(contentsOf: Repository.file("docs/observation.md"), encoding: .utf8)
        for metric in EngineMetric.allCases {
            #expect(source.contains("/// | `\(metric.rawValue)` |"))
            #expect(document.contains("| `\(metric.rawValue)` |"))
        }
    }

    @Test("Only documented metrics with documented labels are emitted")
    func known() async throws {
        let engine = try engine([failing(1)])
        try await engine.run {
            _ = try await engine.manager.submit(AIRequest(prompt: "one"), to: "scripted")
            _ = try await engine.manager.outcome(of: try await engine.manager.snapshots()[0].id)
        }
        let names = Set(EngineMetric.allCases.map(\.rawValue))
        let measured =
            metrics.counters.map(\.label) + metrics.timers.map(\.label) + metrics.meters.map(\.label)
            + metrics.recorders.map(\.label)
        #expect(Set(measured).isSubset(of: names))
    }
}
