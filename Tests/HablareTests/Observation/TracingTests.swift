import Foundation
import Hablare
import HablareSQLite
import HablareStores
import HablareTestKit
import InMemoryTracing
import MetricsTestKit
import Testing
import Tracing

/// The spans of submissions and attempts, and that they hang together across processes.
@Suite(.timeLimit(.minutes(5)))
struct TracingTests {
    private let tracer = InMemoryTracer()

    private var observation: EngineObservation { EngineObservation(metrics: TestMetrics(), tracer: tracer) }

    private func span(_ name: String) throws -> FinishedInMemorySpan {
        try #require(tracer.finishedSpans.first { $0.operationName == name })
    }

    @Test("An attempt is a child of its submission, which is a child of whoever submitted")
    func parents() async throws {
        let engine = try Engine(observation: observation)
        let request = AIRequest(prompt: "one", model: "large")
        try await engine.run {
            try await tracer.withSpan("page") { _ in
                _ = try await engine.manager.execute(request, with: "scripted")
            }
        }
        let page = try span("page")
        let submission = try span("submit scripted")
        let attempt = try span("text_completion large")
        #expect(submission.parentSpanID == page.spanID && submission.kind == .producer)
        #expect(attempt.parentSpanID == submission.spanID && attempt.kind == .client)
        #expect(attempt.traceID == page.traceID)
        #expect(submission.attributes.get("hablare.request.id") == .string(request.id.uuidString.lowercased()))
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test("An attempt says what was asked of whom, and what came of it")
    func attributes() async throws {
        let provider = ScriptedProvider { _ in
            var answer = ProviderAnswer(.text("x"))
            answer.usage = Usage(inputTokens: 3, outputTokens: 4, costMicroDollars: 5)
            return .success(answer)
        }
        let engine = try Engine([provider], observation: observation)
        let request = AIRequest(prompt: .messages([Prompt.Message(role: .user, text: "one")]), model: "large")
        try await engine.run { _ = try await engine.manager.execute(request, with: "scripted") }
        let attempt = try span("chat large")
        #expect(
            attempt.attributes == [
                "gen_ai.operation.name": .string("chat"), "gen_ai.provider.name": .string("scripted"),
                "gen_ai.request.model": .string("large"), "gen_ai.output.type": .string("text"),
                "gen_ai.usage.input_tokens": .int64(3), "gen_ai.usage.output_tokens": .int64(4),
                "hablare.request.id": .string(request.id.uuidString.lowercased()), "hablare.flight.id": .int64(1),
                "hablare.attempt.number": .int64(1), "hablare.attempt.outcome": .string("completed"),
                "hablare.attempt.sent": .bool(true), "hablare.attempt.billing": .string("billed"),
                "hablare.cost.micro_dollars": .int64(5),
            ])
        #expect(attempt.status == nil && attempt.errors.isEmpty)
    }

    @Test("What a provider traces is a part of its attempt")
    func nesting() async throws {
        let provider = ScriptedProvider { [tracer] call in
            tracer.withSpan("POST /v1/messages") { _ in }
            return .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
        }
        let engine = try Engine([provider], observation: observation)
        try await engine.run { _ = try await engine.manager.execute(AIRequest(prompt: "one"), with: "scripted") }
        #expect(try span("POST /v1/messages").parentSpanID == span("text_completion scripted").spanID)
    }

    @Test("Each attempt is a span of its own with its number, and failures say their code and nothing else")
    func retries() async throws {
        let engine = try Engine(
            [failing(1, with: StoreWorkbench.overloaded)],
            configuration: EngineConfiguration(retry: RetryPolicy(maximumAttempts: 2), breaker: .never),
            observation: observation)
        try await engine.run {
            let id = try await engine.manager.submit(AIRequest(prompt: "again"), to: "scripted")
            try await engine.pass { try await engine.manager.snapshot(for: id).phase == .completed }
        }
        let attempts = tracer.finishedSpans.filter { $0.operationName == "text_completion scripted" }
        #expect(attempts.map { $0.attributes.get("hablare.attempt.number") } == [.int64(1), .int64(2)])
        #expect(
            attempts.map { $0.attributes.get("hablare.attempt.outcome") } == [.string("retried"), .string("completed")])
        #expect(attempts.map { $0.attributes.get("error.type") } == [.string("overloaded"), nil])
        #expect(attempts[0].status == SpanStatus(code: .error))
        #expect(Set(attempts.map(\.parentSpanID)) == [try span("submit scripted").spanID])
    }

    @Test("An attempt of another process, after the first died, is in the trace of the submission")
    func afterRestart() async throws {
        let machine = ProcessStore.Machine()
        let request = AIRequest(prompt: "survives")
        let first = try Engine(store: ProcessStore(machine), observation: observation)
        try await first.manager.submit(request, to: "scripted")
        let other = InMemoryTracer()
        let second = try Engine(
            store: ProcessStore(machine), observation: EngineObservation(metrics: TestMetrics(), tracer: other))
        try await second.run { _ = try await second.manager.execute(requestID: request.id) }
        let attempt = try #require(other.finishedSpans.first)
        #expect(try attempt.traceID == span("submit scripted").traceID)
        #expect(try attempt.parentSpanID == span("submit scripted").spanID)
    }

    @Test("A trace survives in a SQLite store")
    func inSQLite() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hablare-\(UUID().uuidString)")
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { Issue.record("\(error)") }
        }
        let request = AIRequest(prompt: "kept")
        let first = try SQLiteStore(directory: folder)
        try await Engine(store: first, observation: observation).manager.submit(request, to: "scripted")
        try first.close()
        let store = try SQLiteStore(directory: folder)
        let second = try Engine(store: store, observation: observation)
        try await second.run { _ = try await second.manager.execute(requestID: request.id) }
        try store.close()
        #expect(try span("text_completion scripted").parentSpanID == span("submit scripted").spanID)
    }

    @Test("A batch is one submission, and each of its attempts a child of it")
    func batch() async throws {
        let engine = try Engine(observation: observation)
        let batch = (0..<3).map { AIRequest(prompt: .text("\($0)")) }
        try await engine.run {
            let ids = try await engine.manager.submit(batch, to: "scripted", jobKey: JobKey(rawValue: "book"))
            for id in ids { _ = try await engine.manager.outcome(of: id) }
        }
        let submission = try span("submit scripted")
        #expect(submission.attributes.get("messaging.batch.message_count") == .int64(3))
        let attempts = tracer.finishedSpans.filter { $0.kind == .client }
        #expect(attempts.count == 3 && attempts.allSatisfy { $0.parentSpanID == submission.spanID })
    }

    @Test("An attempt is never in the trace of another request, whose end led to its start")
    func strangers() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate, concurrency: 1)], observation: observation)
        try await engine.run {
            for number in 0..<4 {
                try await engine.manager.submit(AIRequest(prompt: .text("\(number)")), to: "scripted")
            }
            gate.open()
            for snapshot in try await engine.manager.snapshots() {
                _ = try await engine.manager.outcome(of: snapshot.id)
            }
        }
        let submissions = tracer.finishedSpans.filter { $0.kind == .producer }
        let attempts = tracer.finishedSpans.filter { $0.kind == .client }
        #expect(attempts.count == 4)
        for attempt in attempts {
            let own = submissions.first {
                $0.attributes.get("hablare.request.id") == attempt.attributes.get("hablare.request.id")
            }
            #expect(own != nil && attempt.parentSpanID == own?.spanID)
        }
    }

    @Test("A provider that was given up has its span ended, once")
    func deaf() async throws {
        let latch = Latch()
        let provider = ScriptedProvider { _ in
            await latch.wait()
            return .success(ProviderAnswer(.text("late")))
        }
        let engine = try Engine(
            [provider],
            configuration: EngineConfiguration(attemptTimeout: .seconds(10), retry: .never, breaker: .never),
            observation: observation)
        try await engine.run {
            let id = try await engine.manager.submit(AIRequest(prompt: "deaf"), to: "scripted")
            try await engine.advance { try await engine.manager.snapshot(for: id).phase == .failed }
            #expect(tracer.activeSpans.isEmpty)
            latch.open()
        }
        let attempts = tracer.finishedSpans.filter { $0.kind == .client }
        #expect(attempts.count == 1)
        #expect(attempts.first?.attributes.get("error.type") == .string("timeout"))
    }

    @Test("A submission that fails says its code")
    func refused() async throws {
        let engine = try Engine(observation: observation)
        await #expect(throws: AIServiceError.self) {
            try await engine.manager.submit(AIRequest(prompt: "x", attemptTimeout: .zero), to: "scripted")
        }
        let submission = try span("submit scripted")
        #expect(submission.attributes.get("error.type") == .string("invalid-request"))
        #expect(submission.status == SpanStatus(code: .error) && submission.errors.isEmpty)
    }

    @Test("Where nobody traces, nothing is stored, also within somebody else's trace")
    func untraced() async throws {
        let store = InMemoryStore()
        let engine = try Engine(store: store, observation: .none)
        try await tracer.withSpan("page") { _ in
            _ = try await engine.manager.submit(AIRequest(prompt: "one"), to: "scripted")
        }
        let bench = StoreWorkbench(store: store)
        let claimed = try bench.claim(bench.register(), provider: "scripted", at: 1_000_000)
        #expect(claimed.map(\.trace) == [nil])
        #expect(tracer.performedContextInjections.isEmpty)
    }

    @Test("Spans begin and end by the engine's date")
    func dates() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate)], observation: observation)
        try await engine.run {
            let id = try await engine.manager.submit(AIRequest(prompt: "slow"), to: "scripted")
            await gate.arrivals(reach: 1)
            engine.dates.advance(by: 3)
            gate.open()
            _ = try await engine.manager.execute(requestID: id)
        }
        let attempt = try span("text_completion scripted")
        #expect(attempt.endInstant.nanosecondsSinceEpoch - attempt.startInstant.nanosecondsSinceEpoch == 3_000_000_000)
    }
}
