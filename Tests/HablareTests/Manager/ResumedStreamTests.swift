import Foundation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

/// A stream whose attempt ended continues at its position if the provider remembered the work.
@Suite(.timeLimit(.minutes(5)))
struct ResumedStreamTests {
    private let machine = ProcessStore.Machine()
    private let request = AIRequest(prompt: "p", streaming: StreamingPolicy())

    /// Streams letters of a service's text until this number is on disk, then kills the process.
    private func die(
        _ service: BackgroundService, after letters: Int, of request: AIRequest, content: (any ContentStore)? = nil,
        beside others: [ScriptedProvider] = []
    ) async throws {
        let gate = Gate()
        let store = ProcessStore(machine, content: content)
        let engine = try Engine(
            [background(service, at: gate, streams: true)] + others, store: store,
            configuration: EngineConfiguration(attemptTimeout: .seconds(1_000_000_000), shutdownGrace: .zero))
        try await engine.run { () async throws in
            for _ in 0..<letters { gate.admitOne() }
            try await engine.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: letters + 1)
            try await engine.advance(by: .milliseconds(25)) { keptBytes(of: request) == letters }
            store.fail()
            machine.killAll()
        }
    }

    private func keptBytes(of request: AIRequest) -> Int {
        let page = machine.shared.stream(of: request.id, from: .start, maximumBytes: .max)
        return page?.chunks.reduce(0) { $0 + $1.bytes.count } ?? 0
    }

    @Test("After a crash a stream that must not restart is resumed, unnoticed by readers")
    func crash() async throws {
        let service = BackgroundService("genesis")
        try await die(service, after: 3, of: request)
        let gate = Gate()
        let provider = background(service, at: gate, streams: true)
        let engine = try Engine([provider], store: ProcessStore(machine))
        let manager = engine.manager
        try await engine.run { [request] () async throws in
            let reader = engine.manager
            async let told = engine.soon { try await read(reader, request.id) }
            await gate.arrivals(reach: 1)
            #expect(try await manager.snapshot(for: request.id).phase == .executing)
            gate.open()
            #expect(try await told == "[g][e][n][e][s][i][s] = genesis")
            let back = StreamPosition(generation: 1, sequence: 5)
            #expect(try await read(manager, request.id, from: back) == "[i][s] = genesis", "also afterwards")
        }
        #expect(provider.record.calls.map(\.keptBytes) == [3])
        #expect(service.record.begun.count == 1)
        #expect(try await manager.attempts(for: request.id).map(\.billing) == [.maybeBilled, .billed])
    }

    @Test("A character cut by the crash is complete after the stream resumes")
    func character() async throws {
        let service = BackgroundService("aüb")
        let gate = Gate()
        let store = ProcessStore(machine)
        let first = try Engine(
            [background(service, at: gate, streams: true)], store: store,
            configuration: EngineConfiguration(attemptTimeout: .seconds(1_000_000_000), shutdownGrace: .zero))
        try await first.run { [request] () async throws in
            for _ in 0..<2 { gate.admitOne() }
            try await first.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 3)
            try await first.advance(by: .milliseconds(25)) { keptBytes(of: request) == 1 }
            store.fail()
            machine.killAll()
        }
        let engine = try Engine([background(service, streams: true)], store: ProcessStore(machine))
        let manager = engine.manager
        try await engine.run { [request] () async throws in
            #expect(try await engine.soon { try await read(manager, request.id) } == "[a][ü][b] = aüb")
        }
    }

    @Test("A shutdown does not fail a stream that can be resumed")
    func shutdown() async throws {
        let service = BackgroundService("word")
        let gate = Gate()
        let first = try Engine(
            [background(service, at: gate, streams: true)], store: ProcessStore(machine),
            configuration: EngineConfiguration(attemptTimeout: .seconds(1_000_000_000), shutdownGrace: .zero))
        try await first.run { [request] () async throws in
            gate.admitOne()
            try await first.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 2)
        }
        #expect(machine.shared.snapshot(of: request.id)?.phase == .pending)
        let engine = try Engine([background(service, streams: true)], store: ProcessStore(machine))
        let manager = engine.manager
        try await engine.run { [request] () async throws in
            #expect(try await engine.soon { try await read(manager, request.id) } == "[w][o][r][d] = word")
        }
    }

    @Test("After a lost connection the stream is resumed")
    func lostConnection() async throws {
        let service = BackgroundService("word")
        let provider = ScriptedProvider { [service] call in
            guard call.attempt == 1 else { return await background(service, streams: true).generate(call) }
            do {
                try await call.remember(Data(service.begin().utf8))
                try await call.yield("wo")
            } catch {
                return .failure(.workLost)
            }
            return .failure(AIServiceError(.connectionLost, "Cut off."))
        }
        let engine = try Engine(
            [provider], store: ProcessStore(machine),
            configuration: EngineConfiguration(
                attemptTimeout: .seconds(1_000_000_000), retry: RetryPolicy(baseDelay: .zero), breaker: .never))
        let manager = engine.manager
        try await engine.run { [request] () async throws in
            try await manager.submit(request, to: "scripted")
            try await engine.pass { try await manager.snapshot(for: request.id).phase == .completed }
            #expect(try await read(manager, request.id) == "[wo][r][d] = word")
        }
    }

    /// The behaviour of a provider that ignores its handle.
    enum Ignorance: CaseIterable, Sendable {
        case answers
        case yields
        /// And treats the error it gets then as its own failure, which a retry may help.
        case yieldsAndFails
    }

    private func ignorant(_ ignorance: Ignorance) -> ScriptedProvider {
        ScriptedProvider { call in
            guard ignorance != .answers else { return .success(ProviderAnswer(.text(Body("new")))) }
            do {
                try await call.yield("new")
            } catch {
                let own = ignorance == .yieldsAndFails ? AIServiceError(.overloaded, "Come back.") : nil
                return .failure(own ?? error as? AIServiceError ?? .workLost)
            }
            return .success(ProviderAnswer(streamed: .text))
        }
    }

    /// Returns an engine that retries at once and never opens the breaker.
    private func patientEngine(of provider: any AIServiceProvider) throws -> Engine {
        try Engine(
            [provider], store: ProcessStore(machine),
            configuration: EngineConfiguration(
                attemptTimeout: .seconds(1_000_000_000), retry: RetryPolicy(baseDelay: .zero), breaker: .never))
    }

    @Test(
        "A held request whose handle the provider ignores starts again on an explicit retry",
        arguments: Ignorance.allCases)
    func notResumedAndHeld(ignorance: Ignorance) async throws {
        let request = AIRequest(
            prompt: "p", unknownOutcome: .hold, streaming: StreamingPolicy(allowsRestart: true))
        let service = BackgroundService("old")
        try await die(service, after: 2, of: request)
        let ignorant = ignorant(ignorance)
        let engine = try patientEngine(of: ignorant)
        let manager = engine.manager
        try await engine.run { () async throws in
            try await engine.pass { try await manager.snapshot(for: request.id).waiting == .held }
            #expect(ignorant.record.calls.map(\.handle) == [Data("work-1".utf8)], "nothing is paid twice in silence")
            try await manager.retry(request.id)
            try await engine.pass { try await manager.snapshot(for: request.id).phase == .completed }
        }
        #expect(ignorant.record.calls.map(\.handle) == [Data("work-1".utf8), nil])
    }

    @Test(
        "A provider that does not resume restarts the stream if that is allowed, else the request fails",
        arguments: Ignorance.allCases, [false, true])
    func notResumed(ignorance: Ignorance, allowsRestart: Bool) async throws {
        let request = AIRequest(prompt: "p", streaming: StreamingPolicy(allowsRestart: allowsRestart))
        let service = BackgroundService("old")
        try await die(service, after: 2, of: request)
        let ignorant = ignorant(ignorance)
        let engine = try patientEngine(of: ignorant)
        let manager = engine.manager
        try await engine.run { () async throws in
            let end: RequestPhase = allowsRestart ? .completed : .failed
            try await engine.pass { try await manager.snapshot(for: request.id).phase == end }
            let read = try await read(manager, request.id, from: StreamPosition(generation: 1, sequence: 1))
            #expect(read == (allowsRestart ? " restarted 2 [new] = new" : "[l] invalid-response"))
        }
        #expect(ignorant.record.calls.map(\.handle) == [Data("work-1".utf8)] + (allowsRestart ? [nil] : []))
    }

    @Test("Chunks yielded while the kept text is read follow it, and a second resume call waits as well")
    func yieldedMeanwhile() async throws {
        let service = BackgroundService("genesis")
        try await die(service, after: 3, of: request)
        let latch = Latch()
        let done = Locked<Set<String>>([])
        let provider = ScriptedProvider { call in
            do {
                async let first: Void = call.resume()
                await latch.wait()
                async let second: Void = {
                    try await call.resume()
                    done.withLock { _ = $0.insert("resumed") }
                }()
                try await call.yield("esis")
                done.withLock { _ = $0.insert("yielded") }
                try await second
                try await first
            } catch {
                return .failure(.workLost)
            }
            return .success(ProviderAnswer(streamed: .text))
        }
        let store = ProcessStore(machine)
        let hold = ProcessStore.Hold()
        store.holdNextStream(hold)
        let engine = try Engine([provider], store: store)
        let manager = engine.manager
        try await engine.run { [request] () async throws in
            try await waitUntil { hold.isReached }
            latch.open()
            for _ in 0..<100 { try await pause() }
            #expect(done.withLock { $0 } == [])
            hold.letGo()
            #expect(try await engine.soon { try await read(manager, request.id) } == "[g][e][n][esis] = genesis")
        }
        #expect(done.withLock { $0 } == ["resumed", "yielded"])
    }

    @Test("A stream whose work is lost fails, or restarts if that is allowed", arguments: [false, true])
    func workLost(allowsRestart: Bool) async throws {
        let request = AIRequest(prompt: "p", streaming: StreamingPolicy(allowsRestart: allowsRestart))
        let service = BackgroundService("word")
        try await die(service, after: 2, of: request)
        service.loseEverything()
        let engine = try Engine(
            [background(service, streams: true)], store: ProcessStore(machine),
            configuration: EngineConfiguration(
                attemptTimeout: .seconds(1_000_000_000), retry: RetryPolicy(baseDelay: .zero), breaker: .never))
        let manager = engine.manager
        try await engine.run { () async throws in
            let end: RequestPhase = allowsRestart ? .completed : .failed
            try await engine.pass { try await manager.snapshot(for: request.id).phase == end }
            let read = try await read(manager, request.id, from: StreamPosition(generation: 1, sequence: 1))
            #expect(read == (allowsRestart ? " restarted 2 [w][o][r][d] = word" : "[o] work-lost"))
        }
    }

    @Test("A stream with a resume handle does not fall back to another provider")
    func notDiverted() async throws {
        let request = AIRequest(prompt: "p", streaming: StreamingPolicy(), fallback: [FallbackTarget("second")])
        let service = BackgroundService("word")
        let second = ScriptedProvider(id: "second")
        try await die(service, after: 2, of: request, beside: [second])
        let failing = background(service, streams: true, then: StoreWorkbench.failure)
        let engine = try Engine([failing, second], store: ProcessStore(machine))
        try await engine.run { () async throws in try await engine.reach(.failed, request.id) }
        #expect(second.record.calls.isEmpty)
    }

    @Test("A long resumed answer is assembled in its content file")
    func file() async throws {
        let content = TestContent()
        let service = BackgroundService(String(repeating: "long ", count: 40))
        try await die(service, after: 70, of: request, content: content)
        let engine = try Engine(
            [background(service, streams: true)], store: ProcessStore(machine, content: content))
        let manager = engine.manager
        try await engine.run { [request] () async throws in
            let response = try await engine.soon { try await manager.execute(requestID: request.id) }
            #expect(try await text(response) == service.text)
            #expect(try response.content.body?.reference != nil)
        }
    }

    @Test("A request without streaming keeps no chunks, and the whole answer is yielded again")
    func notStreaming() async throws {
        let request = AIRequest(prompt: "p")
        let service = BackgroundService("word")
        let gate = Gate()
        let store = ProcessStore(machine)
        let first = try Engine(
            [background(service, at: gate, streams: true)], store: store,
            configuration: EngineConfiguration(attemptTimeout: .seconds(1_000_000_000), shutdownGrace: .zero))
        try await first.run {
            for _ in 0..<2 { gate.admitOne() }
            try await first.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 3)
            store.fail()
            machine.killAll()
        }
        let provider = background(service, streams: true)
        let engine = try Engine([provider], store: ProcessStore(machine))
        let manager = engine.manager
        try await engine.run { () async throws in
            let response = try await engine.soon { try await manager.execute(requestID: request.id) }
            #expect(try await text(response) == "word")
        }
        #expect(provider.record.calls.map(\.keptBytes) == [0])
    }
}
