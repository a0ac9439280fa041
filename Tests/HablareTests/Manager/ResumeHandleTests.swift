import Foundation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

/// A service that works in the background. It gives each piece of work a name under which it can be asked for.
final class BackgroundService: Sendable {
    struct State: Sendable {
        var begun: [String] = []
        var asked: [String] = []
        var known: Set<String> = []
        var isAway = false
    }

    private let state = Locked(State())
    let text: String

    init(_ text: String = "answer") { self.text = text }

    var record: State { state.withLock { $0 } }

    func begin() -> String {
        state.withLock { state in
            let name = "work-\(state.begun.count + 1)"
            state.begun.append(name)
            state.known.insert(name)
            return name
        }
    }

    func loseEverything() { state.withLock { $0.known = [] } }
    func goAway() { state.withLock { $0.isAway = true } }
    func comeBack() { state.withLock { $0.isAway = false } }

    /// Whether the service knows this work.
    func ask(_ name: String) throws -> Bool {
        try state.withLock { state in
            state.asked.append(name)
            if state.isAway { throw AIServiceError(.connectionFailed, "Nobody is there.") }
            return state.known.contains(name)
        }
    }
}

/// Starts or resumes work, yields the missing text, letter by letter if there is a gate, and answers.
func background(
    _ service: BackgroundService, id: ProviderID = "scripted", at gate: Gate? = nil, remembers: Bool = true,
    streams: Bool = false, then end: AIServiceError? = nil
) -> ScriptedProvider {
    ScriptedProvider(id: id) { call in
        do {
            let name: String
            if let handle = call.handle {
                name = String(decoding: handle, as: UTF8.self)
                guard try service.ask(name) else {
                    try await call.forget()
                    return .failure(.workLost)
                }
                try await call.resume()
            } else {
                name = service.begin()
                if remembers { try await call.remember(Data(name.utf8)) }
            }
            if streams {
                for letter in service.text.utf8.dropFirst(call.keptBytes) {
                    try await gate?.pass()
                    try await call.yield(Data([letter]))
                }
            }
            try await gate?.pass()
            if let end { return .failure(end) }
            return .success(
                streams
                    ? ProviderAnswer(streamed: .text, usage: Usage(outputTokens: 7))
                    : ProviderAnswer(.text(Body(service.text)), usage: Usage(outputTokens: 7)))
        } catch let error as AIServiceError {
            return .failure(error)
        } catch {
            return .failure(AIServiceError(.connectionLost, "Cut off."))
        }
    }
}

/// Whether a call's work is wanted, or `nil` if that is unknown.
func wants(_ call: ProviderCall) async -> Bool? {
    do {
        return try await call.isWanted()
    } catch {
        return nil
    }
}

/// A provider's resume handle outlives its attempt, and the next attempt resumes the work.
@Suite(.timeLimit(.minutes(5)))
struct ResumeHandleTests {
    private let machine = ProcessStore.Machine()
    private let service = BackgroundService()
    private static let forever = EngineConfiguration(attemptTimeout: .seconds(1_000_000_000), shutdownGrace: .zero)
    private static let patient = EngineConfiguration(
        attemptTimeout: .seconds(1_000_000_000), retry: RetryPolicy(maximumAttempts: 3, baseDelay: .zero),
        breaker: .never)

    /// Runs an engine until this number of calls has reached a gate, then kills it.
    private func die(
        _ provider: ScriptedProvider, at gate: Gate, arrivals: Int = 1, admitting: Int = 0,
        until condition: @escaping @Sendable () -> Bool = { true }, with request: AIRequest
    ) async throws {
        let store = ProcessStore(machine)
        let engine = try Engine([provider], store: store, configuration: Self.forever)
        try await engine.run { () async throws in
            for _ in 0..<admitting { gate.admitOne() }
            try await engine.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: arrivals)
            try await engine.advance(by: .milliseconds(25)) { condition() }
            store.fail()
            machine.killAll()
        }
    }

    private func engine(
        _ provider: ScriptedProvider, configuration: EngineConfiguration? = nil
    ) throws -> Engine {
        try Engine([provider], store: ProcessStore(machine), configuration: configuration)
    }

    // MARK: Crashes

    @Test(
        "After a crash the next attempt resumes the remembered work under any unknown-outcome policy",
        arguments: UnknownOutcomePolicy.allCases)
    func crashAfterwards(policy: UnknownOutcomePolicy) async throws {
        let request = AIRequest(prompt: "p", unknownOutcome: policy)
        let gate = Gate()
        try await die(background(service, at: gate), at: gate, with: request)
        let provider = background(service)
        let engine = try engine(provider)
        let manager = engine.manager
        let response = try await engine.run { () async throws in
            try await engine.soon { try await manager.execute(requestID: request.id) }
        }
        #expect(try await text(response) == "answer")
        #expect(service.record.begun == ["work-1"], "it was begun once")
        #expect(service.record.asked == ["work-1"])
        #expect(provider.record.calls.map(\.attempt) == [2])
        let attempts = try await manager.attempts(for: request.id)
        #expect(attempts.map(\.outcome) == [.lost, .completed])
        #expect(attempts.map(\.billing) == [.maybeBilled, .billed])
        #expect(attempts.map(\.usage.outputTokens) == [0, 7], "it is paid for once")
        #expect(!engine.log.says("work-1"), "a handle is never logged")
    }

    @Test("An attempt that resumes work with an invalid answer records its usage, and the first attempt none")
    func uselessAnswer() async throws {
        let request = AIRequest(prompt: "p")
        let gate = Gate()
        try await die(background(service, at: gate), at: gate, with: request)
        let useless = AIServiceError(.invalidResponse, "No JSON.", billing: .billed(Usage(outputTokens: 7)))
        let engine = try engine(background(service, then: useless))
        let manager = engine.manager
        try await engine.run { () async throws in
            try await engine.reach(.failed, request.id)
            let attempts = try await manager.attempts(for: request.id)
            #expect(attempts.map(\.billing) == [.maybeBilled, .billed])
            #expect(attempts.map(\.usage.outputTokens) == [0, 7])
        }
    }

    @Test("After a crash before the handle was stored the work starts again or is held")
    func crashBefore() async throws {
        for policy in UnknownOutcomePolicy.allCases {
            let machine = ProcessStore.Machine()
            let service = BackgroundService()
            let request = AIRequest(prompt: "p", unknownOutcome: policy)
            let gate = Gate()
            let store = ProcessStore(machine)
            let first = try Engine(
                [background(service, at: gate, remembers: false)], store: store, configuration: Self.forever)
            try await first.run {
                try await first.manager.submit(request, to: "scripted")
                await gate.arrivals(reach: 1)
                store.fail()
                machine.killAll()
            }
            let provider = background(service)
            let second = try Engine([provider], store: ProcessStore(machine))
            let manager = second.manager
            try await second.run { () async throws in
                switch policy {
                case .runAgain:
                    _ = try await second.soon { try await manager.execute(requestID: request.id) }
                    #expect(provider.record.calls.map(\.handle) == [nil])
                    #expect(service.record.begun == ["work-1", "work-2"])
                case .hold:
                    try await second.expectSoon { try await manager.snapshot(for: request.id).waiting == .held }
                    #expect(provider.record.calls.isEmpty)
                }
            }
        }
    }

    @Test("A process that was taken for dead cannot change the resume handle, and gets an error")
    func stale() async throws {
        let request = AIRequest(prompt: "p")
        // The process stops the call when it learns that it lost its lease, and the call ignores that.
        let (latch, second) = (Latch(), Gate())
        let hasStoredHandle = Locked(false)
        let refused = Locked<[String]>([])
        let sleeper = ScriptedProvider { call in
            do {
                try await call.remember(Data("old".utf8))
                hasStoredHandle.withLock { $0 = true }
                await latch.wait()
                do {
                    try await call.remember(Data("stale".utf8))
                } catch is CancellationError {
                    refused.withLock { $0.append("remembering") }
                }
                do {
                    try await call.forget()
                } catch is CancellationError {
                    refused.withLock { $0.append("forgetting") }
                }
                let isWanted = try await call.isWanted()
                refused.withLock { $0.append(isWanted ? "wanted by another" : "not wanted") }
            } catch {
                return .failure(AIServiceError(.connectionLost, "Cut off."))
            }
            return .failure(AIServiceError(.providerFailed, "It failed."))
        }
        let successor = ScriptedProvider { call in
            do {
                try await call.resume()
                try await second.pass()
            } catch {
                return .failure(AIServiceError(.connectionLost, "Cut off."))
            }
            if call.attempt == 2 { return .failure(AIServiceError(.overloaded, "Come back.")) }
            return .success(ProviderAnswer(.text(Body(String(decoding: call.handle ?? Data(), as: UTF8.self)))))
        }
        let store = ProcessStore(machine)
        let one = try Engine([sleeper], store: store, configuration: Self.forever)
        let other = try Engine([successor], store: ProcessStore(machine), configuration: Self.patient)
        let manager = other.manager
        try await one.run {
            try await one.manager.submit(request, to: "scripted")
            try await one.expectSoon { hasStoredHandle.withLock { $0 } }
            // Otherwise it would register again and claim its own request before the other process does.
            store.failClaims()
            machine.killAll()
            try await other.run { () async throws in
                await second.arrivals(reach: 1)
                latch.open()
                try await other.expectSoon { refused.withLock { $0.count } == 3 }
                #expect(refused.withLock { $0 } == ["remembering", "forgetting", "wanted by another"])
                store.fail()  // it refuses all writes
                second.open()
                try await other.pass { try await manager.snapshot(for: request.id).phase == .completed }
                let response = try #require(try await manager.response(for: request.id))
                #expect(try await text(response) == "old")
            }
        }
        #expect(successor.record.calls.map(\.handle) == [Data("old".utf8), Data("old".utf8)])
    }

    @Test("A provider that fails because of another process's cancellation is cancelled and maybe billed")
    func cancelledElsewhere() async throws {
        let request = AIRequest(prompt: "p")
        let gate = Gate()
        let provider = ScriptedProvider { call in
            do {
                try await gate.pass()
                try await call.remember(Data("work".utf8))
            } catch {
                return .failure(AIServiceError(.connectionLost, "Cut off.", disposition: .retry(after: nil)))
            }
            return .success(ProviderAnswer(.text(Body("x"))))
        }
        let one = try Engine([provider], store: ProcessStore(machine, hearsOthers: false), configuration: Self.patient)
        let other = try Engine([], store: ProcessStore(machine))
        try await one.run {
            try await one.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            _ = try await other.run { try await other.manager.cancelRequest(request.id) }
            gate.open()
            try await one.expectSoon {
                try await one.manager.attempts(for: request.id).map(\.outcome) == [.cancelled]
            }
        }
        let attempts = try await one.manager.attempts(for: request.id)
        #expect(attempts.map(\.billing) == [.maybeBilled], "the work was begun")
        #expect(attempts.map(\.error) == [nil])
    }

    @Test("Work whose handle could not be stored may be billed")
    func handleNotStored() async throws {
        let request = AIRequest(prompt: "p")
        let store = ProcessStore(machine)
        store.fail(on: { write in
            if case .remember = write { true } else { false }
        })
        let engine = try Engine([background(service)], store: store)
        try await engine.run {
            try await engine.manager.submit(request, to: "scripted")
            try await engine.reach(.failed, request.id)
        }
        let attempts = try await engine.manager.attempts(for: request.id)
        #expect(attempts.map(\.billing) == [.maybeBilled])
        #expect(attempts.map(\.error?.code) == [.storageFull])
    }

    @Test("A resume handle is on disk before the provider continues")
    func durable() async throws {
        let request = AIRequest(prompt: "p")
        let store = ProcessStore(machine)
        let gate = Gate()
        let hasReturned = Locked(false)
        let provider = ScriptedProvider { call in
            do {
                try await gate.pass()
                try await call.remember(Data("h".utf8))
                hasReturned.withLock { $0 = true }
            } catch {
                return .failure(AIServiceError(.connectionLost, "Cut off."))
            }
            return .success(ProviderAnswer(.text(Body("x"))))
        }
        let engine = try Engine([provider], store: store)
        try await engine.run { () async throws in
            try await engine.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            let hold = ProcessStore.Hold()
            store.holdNextCommit(hold)
            gate.open()
            try await waitUntil { hold.isReached }
            for _ in 0..<100 { try await pause() }
            #expect(!hasReturned.withLock { $0 })
            hold.letGo()
            _ = try await engine.manager.execute(requestID: request.id)
            #expect(hasReturned.withLock { $0 })
        }
    }

    // MARK: Failures

    @Test("A failure before a retry keeps the resume handle, and a failed resumption is not billed")
    func failures() async throws {
        let request = AIRequest(prompt: "p")
        service.goAway()
        let provider = ScriptedProvider { [service] call in
            if call.attempt == 1 {
                do {
                    try await call.remember(Data(service.begin().utf8))
                } catch {
                    return .failure(.workLost)
                }
                return .failure(AIServiceError(.overloaded, "Come back."))
            }
            if call.attempt == 3 { service.comeBack() }
            return await background(service).generate(call)
        }
        let engine = try engine(provider, configuration: Self.patient)
        let manager = engine.manager
        try await engine.run { () async throws in
            try await manager.submit(request, to: "scripted")
            try await engine.pass { try await manager.snapshot(for: request.id).phase == .completed }
        }
        #expect(service.record.begun == ["work-1"])
        let attempts = try await manager.attempts(for: request.id)
        #expect(attempts.map(\.outcome) == [.failed, .failed, .completed])
        #expect(attempts.map(\.billing) == [.maybeBilled, .neverSent, .billed], "the first has begun something")
    }

    @Test("A connection lost while the work continues is not billed and not held")
    func lostWhileResuming() async throws {
        let request = AIRequest(prompt: "p", unknownOutcome: .hold)
        let provider = ScriptedProvider { [service] call in
            await background(
                service, then: call.attempt < 3 ? AIServiceError(.connectionLost, "Cut off.") : nil
            ).generate(call)
        }
        let engine = try engine(provider, configuration: Self.patient)
        let manager = engine.manager
        try await engine.run { () async throws in
            try await manager.submit(request, to: "scripted")
            try await engine.pass { try await manager.snapshot(for: request.id).phase == .completed }
        }
        #expect(service.record.begun == ["work-1"])
        #expect(try await manager.attempts(for: request.id).map(\.billing) == [.maybeBilled, .neverSent, .billed])
    }

    @Test("Work that the service has lost starts again or is held", arguments: UnknownOutcomePolicy.allCases)
    func workLost(policy: UnknownOutcomePolicy) async throws {
        let request = AIRequest(prompt: "p", unknownOutcome: policy)
        let gate = Gate()
        try await die(background(service, at: gate), at: gate, with: request)
        service.loseEverything()
        let provider = background(service)
        let engine = try engine(provider, configuration: Self.patient)
        let manager = engine.manager
        try await engine.run { () async throws in
            switch policy {
            case .runAgain:
                try await engine.pass { try await manager.snapshot(for: request.id).phase == .completed }
                #expect(provider.record.calls.map(\.handle) == [Data("work-1".utf8), nil])
                #expect(service.record.begun == ["work-1", "work-2"])
            case .hold:
                try await engine.pass { try await manager.snapshot(for: request.id).waiting == .held }
                #expect(service.record.begun == ["work-1"])
                try await manager.retry(request.id)
                try await engine.pass { try await manager.snapshot(for: request.id).phase == .completed }
                #expect(service.record.begun == ["work-1", "work-2"])
            }
        }
    }

    @Test("An explicit retry of a failed or cancelled request starts new work", arguments: [false, true])
    func retriedByHand(isCancelled: Bool) async throws {
        let request = AIRequest(prompt: "p")
        let gate = Gate()
        let provider = ScriptedProvider { [service] call in
            await background(
                service, at: isCancelled && call.attempt == 1 ? gate : nil,
                then: call.attempt == 1 ? StoreWorkbench.failure : nil
            ).generate(call)
        }
        let engine = try engine(provider)
        let manager = engine.manager
        try await engine.run { () async throws in
            try await manager.submit(request, to: "scripted")
            if isCancelled {
                await gate.arrivals(reach: 1)
                _ = try await manager.cancelRequest(request.id)
                #expect(try await engine.soon { provider.record.cancellations } >= 0)
            } else {
                try await engine.reach(.failed, request.id)
            }
            try await manager.retry(request.id)
            _ = try await engine.soon { try await manager.execute(requestID: request.id) }
        }
        #expect(provider.record.calls.map(\.handle) == [nil, nil])
        #expect(service.record.begun == ["work-1", "work-2"])
    }

    @Test("Another provider of the chain does not get the resume handle")
    func fallback() async throws {
        let request = AIRequest(prompt: "p", fallback: [FallbackTarget("second")])
        let first = background(service, then: StoreWorkbench.failure)
        let second = ScriptedProvider(id: "second")
        let engine = try Engine([first, second], store: ProcessStore(machine))
        let manager = engine.manager
        try await engine.run { () async throws in
            try await manager.submit(request, to: "scripted")
            _ = try await engine.soon { try await manager.execute(requestID: request.id) }
        }
        #expect(second.record.calls.map(\.handle) == [nil])
    }

    @Test("A request with the hold policy is held before another provider repeats its remembered work")
    func heldBeforeTheChain() async throws {
        let request = AIRequest(prompt: "p", unknownOutcome: .hold, fallback: [FallbackTarget("second")])
        let fails = Locked(true)
        let first = ScriptedProvider { [service] call in
            await background(service, then: fails.withLock { $0 } ? StoreWorkbench.failure : nil).generate(call)
        }
        let second = ScriptedProvider(id: "second")
        let engine = try Engine([first, second], store: ProcessStore(machine))
        let manager = engine.manager
        try await engine.run { () async throws in
            try await manager.submit(request, to: "scripted")
            try await engine.expectSoon { try await manager.snapshot(for: request.id).waiting == .held }
            #expect(second.record.calls.isEmpty)
            fails.withLock { $0 = false }
            try await manager.retry(request.id)
            let response = try await engine.soon { try await manager.execute(requestID: request.id) }
            #expect(try await text(response) == "answer")
        }
        #expect(service.record.begun == ["work-1"], "somebody's retry went on with it")
    }

    @Test("A cancelled request's provider is stopped and cannot store a resume handle")
    func cancelled() async throws {
        let request = AIRequest(prompt: "p")
        let gate = Gate()
        let refusal = Locked<String?>(nil)
        let provider = ScriptedProvider { call in
            do {
                try await gate.pass()
            } catch {
                do {
                    try await call.remember(Data("h".utf8))
                } catch {
                    let isWanted = await wants(call)
                    refusal.withLock { $0 = "\(type(of: error)), \(isWanted ?? true)" }
                }
            }
            return .failure(.attemptCancelled)
        }
        let engine = try engine(provider)
        let manager = engine.manager
        try await engine.run { () async throws in
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            _ = try await manager.cancelRequest(request.id)
            try await engine.expectSoon { refusal.withLock { $0 } == "CancellationError, false" }
        }
    }

    @Test("A handle remembered during a shutdown is kept, even by a cancelled task")
    func shutdown() async throws {
        let request = AIRequest(prompt: "p", unknownOutcome: .hold)
        let gate = Gate()
        let isWanted = Locked<Bool?>(nil)
        let late = ScriptedProvider { [service] call in
            do {
                try await gate.pass()
            } catch {
                let answer = await wants(call)
                isWanted.withLock { $0 = answer }
                do {
                    try await call.remember(Data(service.begin().utf8))
                } catch {
                    return .failure(.workLost)
                }
            }
            return .failure(AIServiceError(.connectionLost, "Cut off."))
        }
        let first = try Engine([late], store: ProcessStore(machine), configuration: Self.forever)
        try await first.run {
            try await first.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
        }
        let engine = try engine(background(service))
        let manager = engine.manager
        try await engine.run { () async throws in
            _ = try await engine.soon { try await manager.execute(requestID: request.id) }
        }
        #expect(service.record.begun == ["work-1"] && service.record.asked == ["work-1"])
        #expect(isWanted.withLock { $0 } == true, "the work is to be left alone")
    }

    // MARK: Bad input

    @Test("A handle has 1 to 4096 bytes and is accepted only during the call")
    func refusedHandles() async throws {
        let codes = Locked<[AIServiceError.Code?]>([])
        let kept = Locked<ProviderCall?>(nil)
        let provider = ScriptedProvider { call in
            kept.withLock { $0 = call }
            for size in [0, 4097] {
                let refusal = await code { try await call.remember(Data(count: size)) }
                codes.withLock { $0.append(refusal) }
            }
            let refusal = await code { try await call.resume() }
            codes.withLock { $0.append(refusal) }
            return .success(ProviderAnswer(.text(Body("x"))))
        }
        let engine = try engine(provider)
        try await engine.run { () async throws in
            _ = try await engine.manager.execute(AIRequest(prompt: "p"), with: "scripted")
            let call = try #require(kept.withLock { $0 })
            codes.withLock { $0.append(nil) }
            #expect(await code { try await call.remember(Data("h".utf8)) } == .invalidResponse)
            #expect(await code { try await call.forget() } == .invalidResponse)
            #expect(await code { try await call.resume() } == .invalidResponse)
        }
        #expect(codes.withLock { $0 } == [.invalidResponse, .invalidResponse, .invalidResponse, nil])
    }

    @Test("If the store fails, the previous handle stays and the provider gets the error")
    func storeFails() async throws {
        let request = AIRequest(prompt: "p")
        let store = ProcessStore(machine)
        let refusal = Locked<AIServiceError.Code?>(nil)
        let provider = ScriptedProvider { call in
            guard call.handle == nil else {
                return .success(ProviderAnswer(.text(Body(String(decoding: call.handle ?? Data(), as: UTF8.self)))))
            }
            do {
                try await call.remember(Data("first".utf8))
            } catch {
                return .failure(.workLost)
            }
            store.fail { if case .remember = $0 { true } else { false } }
            let code = await code { try await call.remember(Data("second".utf8)) }
            refusal.withLock { $0 = code }
            store.recover()
            return .failure(AIServiceError(.overloaded, "Come back."))
        }
        let engine = try Engine([provider], store: store, configuration: Self.patient)
        let manager = engine.manager
        try await engine.run { () async throws in
            try await manager.submit(request, to: "scripted")
            try await engine.pass { try await manager.snapshot(for: request.id).phase == .completed }
            let response = try #require(try await manager.response(for: request.id))
            #expect(try await text(response) == "first")
        }
        #expect(refusal.withLock { $0 } == .storageFull)
    }

    // MARK: Money

    @Test("Resumed work is neither refused by a budget that its start used up nor charged twice")
    func budget() async throws {
        let request = AIRequest(prompt: "p")
        let gate = Gate()
        let prices = try PriceTable([
            PriceEntry(provider: "scripted", unit: .outputToken, microDollarsPerMillion: 1_000_000)
        ])
        func configuration() -> EngineConfiguration {
            EngineConfiguration(
                attemptTimeout: .seconds(1_000_000_000), shutdownGrace: .zero, retry: .never, breaker: .never,
                prices: prices, budgets: [Budget("b", microDollars: 10)])
        }
        let store = ProcessStore(machine)
        let first = try Engine(
            [background(service, at: gate).using { _ in Usage(outputTokens: 10) }], store: store,
            configuration: configuration())
        try await first.run {
            try await first.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            store.fail()
            machine.killAll()
        }
        let engine = try Engine(
            [background(service).using { _ in Usage(outputTokens: 10) }], store: ProcessStore(machine),
            configuration: configuration())
        let manager = engine.manager
        try await engine.run { () async throws in
            _ = try await engine.soon { try await manager.execute(requestID: request.id) }
        }
        #expect(try await manager.attempts(for: request.id).map(\.usage.costMicroDollars) == [nil, 7])
        #expect(machine.shared.budgets().map(\.spent) == [10], "what was reserved for the beginning")
    }
}
