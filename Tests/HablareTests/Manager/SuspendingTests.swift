import Foundation
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

@Suite(.timeLimit(.minutes(5)))
struct SuspendingTests {
    private static let patient = EngineConfiguration(attemptTimeout: .seconds(1_000_000_000), retry: .never)

    /// Runs the body while an engine works on requests that wait at a gate, all of them leased to it.
    private func whileCalling(
        _ count: Int = 1, at gate: Gate, _ engine: Engine,
        _ body: @escaping @Sendable (AIRequestManager, [AIRequest]) async throws -> Void
    ) async throws {
        let requests = (0..<count).map { AIRequest(prompt: .text("suspended \($0)")) }
        let manager = engine.manager
        try await engine.run {
            try await engine.warmUp()
            for request in requests { try await manager.submit(request, to: "scripted") }
            await gate.arrivals(reach: 1)
            for request in requests {
                try await waitUntil { try await manager.snapshot(for: request.id).holder != nil }
            }
            try await body(manager, requests)
        }
    }

    @Test("When suspend returns, no call runs, no lease is held, and the process is deregistered")
    func atRest() async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 1)
        let store = ProcessStore()
        let engine = try Engine([provider], store: store, configuration: Self.patient)
        try await whileCalling(3, at: gate, engine) { manager, requests in
            await manager.suspend(for: .background, grace: .zero)
            #expect(provider.record.running == 0 && provider.record.calls.count == 2)
            #expect(try engine.store.owners().isEmpty)
            let snapshots = try requests.map { try engine.store.snapshot(of: $0.id) }
            #expect(snapshots.allSatisfy { $0?.phase == .pending && $0?.holder == nil })
            #expect(engine.clock.now.offset == .zero, "it waited for nothing")
            gate.open()
            manager.resume(from: .background)
            for request in requests {
                #expect(try await text(manager.execute(requestID: request.id)) == request.prompt.plainText)
            }
        }
        #expect(try engine.store.owners().isEmpty)
    }

    @Test("A stopped attempt is recorded as interrupted and maybe billed, and does not count as a try")
    func attemptsAreNotUsedUp() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate)], configuration: Self.patient)
        try await whileCalling(at: gate, engine) { manager, requests in
            for rest in 2..<6 {
                await manager.suspend(for: .background, grace: .zero)
                manager.resume(from: .background)
                await gate.arrivals(reach: rest)
            }
            gate.open()
            _ = try await manager.execute(requestID: requests[0].id)
            let attempts = try await manager.attempts(for: requests[0].id)
            #expect(attempts.map(\.outcome) == Array(repeating: .interrupted, count: 4) + [.completed])
            #expect(attempts.dropLast().allSatisfy { $0.billing == .maybeBilled })
        }
    }

    @Test("Attempts may finish within the grace with their outcome, and nothing else starts")
    func grace() async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 1)
        let engine = try Engine([provider], configuration: Self.patient)
        try await whileCalling(2, at: gate, engine) { manager, requests in
            async let rested: Void = manager.suspend(for: .background, grace: .seconds(10))
            try await waitUntil { try await manager.snapshot(for: requests[1].id).holder == nil }
            #expect(try await manager.snapshot(for: requests[1].id).waiting == .suspended)
            gate.open()
            await rested
            #expect(try await manager.status(for: requests[0].id).phase == .completed)
            #expect(try await manager.status(for: requests[1].id) == .pending)
            #expect(provider.record.calls.count == 2)
        }
        #expect(engine.clock.now.offset == .zero)
    }

    @Test("A grace ends at its time, by a shorter grace, or by cancelling the suspending task")
    func endOfGrace() async throws {
        for way in 0..<3 {
            let gate = Gate()
            let engine = try Engine([gated(gate)], configuration: Self.patient)
            try await whileCalling(at: gate, engine) { manager, requests in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await manager.suspend(for: .background, grace: .seconds(10)) }
                    try await waitUntil { !manager.suspensions.isEmpty }
                    switch way {
                    case 0: try await engine.advance { try engine.store.owners().isEmpty }
                    case 1: await manager.suspend(for: .background, grace: .zero)
                    default: group.cancelAll()
                    }
                    try await group.waitForAll()
                }
                #expect(try engine.store.owners().isEmpty)
                let end = engine.clock.now.offset
                #expect(way == 0 ? end >= .seconds(10) : end == .zero)
                #expect(try await manager.attempts(for: requests[0].id).map(\.outcome) == [.interrupted])
            }
        }
    }

    @Test("No timer for the grace is left once nothing runs")
    func noTimerLeft() async throws {
        for reason in SuspensionReason.allCases {
            for isCalling in [false, true] {
                // While offline the housekeeper sleeps until its renewal and its pruning, and the attempts' watcher
                // until the timeout of a past attempt. In the background no one sleeps.
                let sleepers = reason == .background ? 0 : isCalling ? 3 : 2
                let gate = Gate()
                let engine = try Engine([gated(gate)], configuration: Self.patient)
                let manager = engine.manager
                try await engine.run {
                    if isCalling {
                        try await manager.submit(AIRequest(prompt: "ends in time"), to: "scripted")
                        await gate.arrivals(reach: 1)
                    }
                    async let rested: Void = manager.suspend(for: reason, grace: .seconds(10))
                    try await waitUntil { !manager.suspensions.isEmpty }
                    #expect(manager.engine.read { $0.nextGraceEnd != nil } == isCalling)
                    gate.open()
                    await rested
                    #expect(manager.engine.read { $0.nextGraceEnd == nil })
                    // Timers of the attempt and of the suspension are cancelled, but their tasks may not have ended
                    // yet.
                    try await waitUntil { engine.clock.sleeperCount == sleepers }
                    #expect(engine.clock.now.offset == .zero)
                }
            }
        }
        let idle = try Engine()
        await idle.manager.suspend(for: .background)
        #expect(idle.manager.engine.read { $0.nextGraceEnd == nil }, "no engine runs")
    }

    @Test("Resuming within the grace lets attempts continue, and suspend returns")
    func resumedWithinGrace() async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 1)
        let engine = try Engine([provider], configuration: Self.patient)
        try await whileCalling(2, at: gate, engine) { manager, requests in
            async let rested: Void = manager.suspend(for: .background, grace: .seconds(10))
            try await waitUntil { !manager.suspensions.isEmpty }
            manager.resume(from: .background)
            await rested
            #expect(try engine.store.owners().count == 1)
            gate.open()
            for request in requests { _ = try await manager.execute(requestID: request.id) }
            #expect(provider.record.calls.count == 3, "the first was not begun again")
        }
    }

    @Test("While suspended, submissions are stored and wait, and cancellations take effect")
    func submitting() async throws {
        let provider = ScriptedProvider()
        let engine = try Engine([provider])
        let manager = engine.manager
        let (kept, cancelled) = (AIRequest(prompt: "kept"), AIRequest(prompt: "cancelled"))
        try await engine.run {
            await manager.suspend(for: .background)
            try await manager.submit(kept, to: "scripted")
            try await manager.submit(cancelled, to: "scripted")
            #expect(try await manager.snapshot(for: kept.id).waiting == .suspended)
            #expect(try await manager.cancelRequest(cancelled.id) == .cancelled)
            #expect(provider.record.calls.isEmpty)
            manager.resume(from: .background)
            #expect(try await text(manager.execute(requestID: kept.id)) == "kept")
            #expect(provider.record.calls.count == 1)
        }
    }

    @Test("While suspended, watchers, waiters and readers fail, and afterwards they can resume")
    func streams() async throws {
        let gate = Gate()
        let engine = try Engine([words(["In ", "the ", "end"], at: gate)], configuration: Self.patient)
        let manager = engine.manager
        let request = AIRequest(prompt: "p", streaming: StreamingPolicy(allowsRestart: true))
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            gate.admitOne()
            await gate.arrivals(reach: 2)
            let statuses = try await manager.statusUpdates(for: request.id)
            async let told = engine.soon { await code { _ = try await collect(statuses) } }
            async let answer = engine.soon { try await read(manager, request.id) }
            async let outcome = engine.soon { await code { _ = try await manager.outcome(of: request.id) } }
            while manager.engine.read({ $0.watched.watcherCount(of: request.id) }) < 2
                || manager.engine.chunks.readerCount(of: request.id) < 1
            {
                try await pause()
            }
            await manager.suspend(for: .background, grace: .zero)
            #expect(try await told == .suspended)
            #expect(try await outcome == .suspended)
            #expect(try await answer == "[In ] suspended")
            #expect(await code { _ = try await manager.outcome(of: request.id) } == .suspended)
            manager.resume(from: .background)
            let again = try await manager.statusUpdates(for: request.id)
            gate.open()
            #expect(try await collect(again).last?.phase == .completed)
            let back = StreamPosition(generation: 1, sequence: 1)
            #expect(
                try await read(manager, request.id, from: back) == " restarted 2 [In ][the ][end] = In the end")
        }
    }

    @Test("An engine started while suspended holds nothing, and works when it is resumed")
    func suspendedBefore() async throws {
        let engine = try Engine()
        let manager = engine.manager
        await manager.suspend(for: .background)
        let request = AIRequest(prompt: "before")
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            #expect(try engine.store.owners().isEmpty)
            #expect(await code { _ = try await manager.outcome(of: request.id) } == .suspended)
            manager.resume(from: .background)
            #expect(try await text(manager.execute(requestID: request.id)) == "before")
        }
        #expect(try engine.store.owners().isEmpty)
    }

    @Test("A shutdown during or before a suspension ends the engine and keeps waiting requests")
    func shutDown() async throws {
        for isIdle in [true, false] {
            let gate = Gate()
            let engine = try Engine(
                [gated(gate)],
                configuration: EngineConfiguration(attemptTimeout: .seconds(1_000_000_000), shutdownGrace: .zero))
            let request = AIRequest(prompt: "waits")
            let manager = engine.manager
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await gate.arrivals(reach: 1)
                    await manager.suspend(for: .background, grace: isIdle ? .zero : .seconds(1_000))
                }
                try await engine.run {
                    try await manager.submit(request, to: "scripted")
                    try await waitUntil { !manager.suspensions.isEmpty }
                    while isIdle, try !engine.store.owners().isEmpty { try await pause() }
                }
                try await group.waitForAll()
            }
            #expect(try engine.store.owners().isEmpty)
            #expect(try await manager.status(for: request.id) == .pending)
            manager.resume(from: .background)
            #expect(await code { _ = try await manager.outcome(of: request.id) } == .suspended, "it was shut down")
            gate.open()
            try await engine.run { _ = try await manager.execute(requestID: request.id) }
        }
    }

    @Test("Another process takes the released requests at once")
    func another() async throws {
        let machine = ProcessStore.Machine()
        let gate = Gate()
        let first = try Engine([gated(gate)], store: ProcessStore(machine), configuration: Self.patient)
        let second = try Engine([ScriptedProvider()], store: ProcessStore(machine))
        try await whileCalling(at: gate, first) { manager, requests in
            await manager.suspend(for: .background, grace: .zero)
            try await second.run { () async throws in
                #expect(try await text(second.manager.execute(requestID: requests[0].id)) == "suspended 0")
            }
            #expect(first.clock.now.offset == .zero && second.clock.now.offset == .zero)
            #expect(try await manager.status(for: requests[0].id).phase == .completed)
        }
    }

    @Test("A suspended engine does not use the store, and applies deadlines when it is resumed")
    func sleeps() async throws {
        let store = ProcessStore()
        let provider = ScriptedProvider()
        let engine = try Engine([provider], store: store)
        let manager = engine.manager
        try await engine.run {
            await manager.suspend(for: .background)
            let request = AIRequest(prompt: "late", deadline: engine.dates.now.addingTimeInterval(60))
            try await manager.submit(request, to: "scripted")
            let commits = store.commits
            try await engine.pass(100)
            #expect(store.commits == commits)
            #expect(try await manager.status(for: request.id) == .pending)
            manager.resume(from: .background)
            #expect(try await manager.outcome(of: request.id) == .failed(.deadlineExceeded))
            #expect(provider.record.calls.isEmpty)
        }
    }

    @Test("If the store cannot be written on resume, the registration is retried")
    func cannotRegister() async throws {
        let store = ProcessStore()
        let engine = try Engine([ScriptedProvider()], store: store)
        let manager = engine.manager
        let request = AIRequest(prompt: "in the end")
        try await engine.run {
            await manager.suspend(for: .background)
            try await manager.submit(request, to: "scripted")
            store.fail()
            manager.resume(from: .background)
            try await engine.pass(20)
            #expect(try engine.store.owners().isEmpty)
            store.recover()
            try await engine.pass { try await manager.status(for: request.id).phase == .completed }
        }
        #expect(try engine.store.owners().isEmpty)
    }

    @Test("A registration that could not be ended is ended when the process registers again")
    func cannotDeregister() async throws {
        let store = ProcessStore(knowsLiveness: false)
        let engine = try Engine([ScriptedProvider()], store: store)
        let manager = engine.manager
        try await engine.run {
            store.fail { if case .retireOwner = $0 { true } else { false } }
            await manager.suspend(for: .background)
            let old = try engine.store.owners().map(\.id)
            #expect(old.count == 1)
            store.recover()
            manager.resume(from: .background)
            _ = try await manager.execute(AIRequest(prompt: "anew"), with: "scripted")
            let owners = try engine.store.owners().map(\.id)
            #expect(owners.count == 1 && owners != old)
        }
    }

    @Test("A provider that ignores the stop is abandoned, and its late answer is accepted")
    func deaf() async throws {
        let latch = Latch()
        let provider = ScriptedProvider { _ in
            await latch.wait()
            return .success(ProviderAnswer(.text("late")))
        }
        let engine = try Engine([provider], configuration: Self.patient)
        let manager = engine.manager
        let request = AIRequest(prompt: "deaf")
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            try await waitUntil { provider.record.running >= 1 }
            async let rested: Void = manager.suspend(for: .background, grace: .zero)
            try await engine.advance { try engine.store.owners().isEmpty }
            await rested
            #expect(try await manager.attempts(for: request.id).map(\.outcome) == [.interrupted])
            latch.open()
            try await engine.reach(.completed, request.id)
            #expect(try await manager.attempts(for: request.id).map(\.outcome) == [.completed])
        }
    }

    @Test("A reader gets the failure of an attempt that lost its lease with the process's registration")
    func outlivesRegistration() async throws {
        let latch = Latch()
        let provider = ScriptedProvider { call in
            do {
                try await call.yield("a")
            } catch {
                return .failure(AIServiceError(.providerFailed, "Nothing was yielded."))
            }
            await latch.wait()
            return .success(ProviderAnswer(streamed: .text))
        }
        let store = ProcessStore()
        let engine = try Engine([provider], store: store, configuration: Self.patient)
        let manager = engine.manager
        let request = AIRequest(prompt: "outlived", streaming: StreamingPolicy())
        try await engine.run {
            defer { latch.open() }
            try await manager.submit(request, to: "scripted")
            var first = try await manager.stream(for: request.id).makeAsyncIterator()
            _ = try await first.next()
            // The attempt's end cannot be written before the registration's.
            store.fail(on: { if case .settle = $0 { true } else { false } })
            let hold = ProcessStore.Hold()
            store.holdNextCommit(hold) { if case .retireOwner = $0 { true } else { false } }
            async let rested: Void = manager.suspend(for: .background, grace: .zero)
            try await waitUntil {
                try await engine.pass(1)
                return hold.isReached
            }
            manager.resume(from: .background)
            let told = Locked<AIServiceError.Code?>(nil)
            let reads = Latch()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var reader = try await manager.stream(for: request.id).makeAsyncIterator()
                    _ = try await reader.next()
                    reads.open()
                    let end = await code { while try await reader.next() != nil {} }
                    told.withLock { $0 = end }
                }
                await reads.wait()
                hold.letGo()
                try await engine.pass { try await manager.status(for: request.id).isFinal }
                store.recover()
                try await engine.pass { told.withLock { $0 } != nil }
                group.cancelAll()
            }
            await rested
            #expect(told.withLock { $0 } == .streamInterrupted)
        }
    }

    @Test("Requests complete despite many concurrent suspensions and resumptions")
    func often() async throws {
        let provider = ScriptedProvider(limits: ProviderLimits(concurrency: 2))
        let engine = try Engine([provider], configuration: Self.patient)
        let manager = engine.manager
        try await engine.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        let reason = SuspensionReason.allCases[number % 2]
                        for _ in 0..<25 {
                            await manager.suspend(for: reason, grace: .zero)
                            manager.resume(from: reason)
                        }
                    }
                }
                for number in 0..<100 {
                    try await manager.submit(AIRequest(prompt: .text("often \(number)")), to: "scripted")
                }
                try await group.waitForAll()
            }
            #expect(manager.suspensions.isEmpty)
            try await waitUntil { try await manager.statistics().requests[.completed] == 100 }
        }
    }
}
