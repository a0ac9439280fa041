import Foundation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

/// Resume handles while a newer attempt runs or after the engine has abandoned the attempt.
@Suite(.timeLimit(.minutes(5)))
struct OverlappingAttemptsTests {
    private let machine = ProcessStore.Machine()
    private let service = BackgroundService("word")
    private static let forever = EngineConfiguration(attemptTimeout: .seconds(1_000_000_000), shutdownGrace: .zero)
    private static let brief = EngineConfiguration(
        attemptTimeout: .seconds(10), cancellationGrace: .seconds(5), retry: RetryPolicy(baseDelay: .zero),
        breaker: .never)

    /// Runs two engines on one store. The first engine does not know of the second, which takes over the first one's
    /// request after it has begun.
    private func takeOver(
        _ request: AIRequest, from sleeper: ScriptedProvider, once hasBegun: @escaping @Sendable () -> Bool,
        by successor: ScriptedProvider, _ body: @escaping @Sendable (Engine) async throws -> Void
    ) async throws {
        let store = ProcessStore(machine)
        let one = try Engine([sleeper], store: store, configuration: Self.forever)
        let other = try Engine([successor], store: ProcessStore(machine), configuration: Self.forever)
        try await one.run { [machine] in
            try await one.manager.submit(request, to: "scripted")
            try await one.expectSoon { hasBegun() }
            // Otherwise it would register again and claim its own request before the other process does.
            store.failClaims()
            machine.killAll()
            try await other.run {
                try await body(other)
                try await other.expectSoon { try await other.manager.snapshot(for: request.id).phase == .completed }
            }
        }
    }

    // MARK: Wanted work

    @Test("An attempt taken over before it stored its resume handle learns that its work is not wanted")
    func orphaned() async throws {
        let request = AIRequest(prompt: "p")
        let (latch, second) = (Latch(), Gate())
        let hasBegun = Locked(false)
        let told = Locked<[Bool?]>([])
        let sleeper = ScriptedProvider { [service] call in
            let name = service.begin()
            hasBegun.withLock { $0 = true }
            await latch.wait()
            do {
                try await call.remember(Data(name.utf8))
            } catch {
                let isWanted = await wants(call)
                told.withLock { $0.append(error is CancellationError ? isWanted : nil) }
            }
            return .failure(.attemptCancelled)
        }
        try await takeOver(
            request, from: sleeper, once: { hasBegun.withLock { $0 } }, by: background(service, at: second)
        ) { other in
            await second.arrivals(reach: 1)
            latch.open()
            try await other.expectSoon { !told.withLock { $0.isEmpty } }
            second.open()
        }
        #expect(told.withLock { $0 } == [false], "what the other one remembered is other work")
        #expect(service.record.begun == ["work-1", "work-2"])
    }

    @Test("The attempt of a cancelled and retried request learns that its work is not wanted")
    func retried() async throws {
        let request = AIRequest(prompt: "p")
        let (gate, latch) = (Gate(), Latch())
        let told = Locked<[Bool?]>([])
        let provider = ScriptedProvider { [service] call in
            guard call.attempt == 1 else { return await background(service).generate(call) }
            do {
                try await call.remember(Data(service.begin().utf8))
                try await gate.pass()
            } catch {
                await latch.wait()
                let isWanted = await wants(call)
                told.withLock { $0.append(isWanted) }
            }
            return .failure(.attemptCancelled)
        }
        let engine = try Engine([provider], store: ProcessStore(machine), configuration: Self.forever)
        let manager = engine.manager
        try await engine.run { () async throws in
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            _ = try await manager.cancelRequest(request.id)
            try await manager.retry(request.id)
            latch.open()
            try await engine.expectSoon { !told.withLock { $0.isEmpty } }
        }
        #expect(told.withLock { $0 } == [false])
    }

    // MARK: Money

    @Test("Work whose end two attempts saw is in the ledger with its usage once")
    func usedOnce() async throws {
        let request = AIRequest(prompt: "p")
        let (latch, second) = (Latch(), Gate())
        let hasBegun = Locked(false)
        let sleeper = ScriptedProvider { [service] call in
            do {
                try await call.remember(Data(service.begin().utf8))
            } catch {
                return .failure(.workLost)
            }
            hasBegun.withLock { $0 = true }
            await latch.wait()
            return .success(ProviderAnswer(.text(Body("word")), usage: Usage(outputTokens: 7)))
        }
        try await takeOver(
            request, from: sleeper, once: { hasBegun.withLock { $0 } }, by: background(service, at: second)
        ) { other in
            await second.arrivals(reach: 1)
            latch.open()
            try await other.expectSoon {
                try await other.manager.attempts(for: request.id).map(\.outcome) == [.discarded]
            }
            second.open()
        }
        let attempts = machine.shared.attempts(of: request.id)
        #expect(attempts.map(\.outcome) == [.discarded, .completed])
        #expect(attempts.map(\.billing) == [.maybeBilled, .billed])
        #expect(attempts.map(\.usage.outputTokens) == [0, 7])
    }

    // MARK: In flight

    /// Advances the time until the engine has abandoned an attempt that waits for the disk, then releases the disk.
    private func giveUp(_ engine: Engine, _ hold: ProcessStore.Hold) async throws {
        try await waitUntil { hold.isReached }
        try await waitUntil {
            engine.clock.advance(by: .seconds(1))
            return engine.manager.engine.read(\.underWay).isEmpty
        }
        for _ in 0..<100 { try await pause() }
        hold.letGo()
    }

    @Test("An attempt abandoned while it forgets leaves no resume handle, and is held if its policy says so")
    func givenUpWhileForgetting() async throws {
        let request = AIRequest(prompt: "p", unknownOutcome: .hold)
        let store = ProcessStore(machine)
        let gate = Gate()
        let provider = ScriptedProvider { [service] call in
            do {
                try await call.remember(Data(service.begin().utf8))
                try await gate.pass()
                try await call.forget()
            } catch {
                return .failure(.attemptCancelled)
            }
            return .failure(.workLost)
        }
        let engine = try Engine([provider], store: store, configuration: Self.brief)
        let manager = engine.manager
        try await engine.run { () async throws in
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            let hold = ProcessStore.Hold()
            store.holdNextCommit(hold)
            gate.open()
            try await giveUp(engine, hold)
            try await engine.expectSoon { try await manager.snapshot(for: request.id).waiting == .held }
        }
        #expect(service.record.begun == ["work-1"], "it is not paid for again in silence")
    }

    @Test("An attempt abandoned while it stores its resume handle leaves it to the next attempt")
    func abandonedWhileStoringHandle() async throws {
        let request = AIRequest(prompt: "p", streaming: StreamingPolicy())
        let store = ProcessStore(machine)
        let gate = Gate()
        let provider = ScriptedProvider { [service] call in
            guard call.attempt == 1 else { return await background(service, streams: true).generate(call) }
            do {
                try await call.yield("wo")
                try await gate.pass()
                try await call.remember(Data(service.begin().utf8))
            } catch {
                return .failure(.attemptCancelled)
            }
            return .failure(.workLost)
        }
        let engine = try Engine([provider], store: store, configuration: Self.brief)
        let manager = engine.manager
        try await engine.run { [machine] () async throws in
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            try await engine.advance(by: .milliseconds(25)) {
                machine.shared.stream(of: request.id, from: .start, maximumBytes: .max)?.chunks.isEmpty == false
            }
            let hold = ProcessStore.Hold()
            store.holdNextCommit(hold)
            gate.open()
            try await giveUp(engine, hold)
            let response = try await engine.soon { try await manager.execute(requestID: request.id) }
            #expect(try await text(response) == "word")
        }
        #expect(service.record.begun == ["work-1"] && service.record.asked == ["work-1"])
    }
}
