import Foundation
import HablareStores
import HablareTestKit
import Testing

@testable import Hablare

/// The death of a process: its store refuses its writes, its lock is released, and another process takes over.
@Suite(.timeLimit(.minutes(5)))
struct RecoveryTests {
    private let machine = ProcessStore.Machine()

    /// Runs an engine until it is killed in the middle of an attempt.
    private func die(
        _ provider: ScriptedProvider, at gate: Gate,
        after submit: @escaping @Sendable (AIRequestManager) async throws -> Void
    )
        async throws
    {
        let store = ProcessStore(machine)
        let engine = try Engine(
            [provider], store: store,
            configuration: EngineConfiguration(attemptTimeout: .seconds(1_000_000_000), shutdownGrace: .zero))
        try await engine.run {
            try await submit(engine.manager)
            await gate.arrivals(reach: 1)
            store.fail()
            machine.killAll()
        }
        #expect(engine.log.says("error: The process could not deregister"))
    }

    @Test("A dead process's requests run again at once, and the lost attempt is recorded as maybe billed")
    func restart() async throws {
        let request = AIRequest(prompt: "survives")
        let gate = Gate()
        try await die(gated(gate), at: gate) { manager in try await manager.submit(request, to: "scripted") }
        #expect(machine.shared.snapshot(of: request.id)?.phase == .executing)
        #expect(machine.shared.owners().count == 1)

        let provider = ScriptedProvider()
        let engine = try Engine([provider], store: ProcessStore(machine))
        let manager = engine.manager
        try await engine.run { () async throws in
            #expect(try await engine.soon { try await text(manager.execute(requestID: request.id)) } == "survives")
            #expect(try engine.store.owners().count == 1, "the dead one's registration is gone")
        }
        #expect(engine.clock.now.offset == .zero, "it waited for nothing")
        let attempts = try await manager.attempts(for: request.id)
        #expect(attempts.map(\.outcome) == [.lost, .completed])
        #expect(attempts.map(\.billing) == [.maybeBilled, .billed])
        #expect(provider.record.calls.map(\.attempt) == [2])
    }

    @Test("A job killed in the middle is finished by the next run, with each request recorded once")
    func job() async throws {
        let gate = Gate()
        let key = JobKey(rawValue: "book")
        @Sendable func batch() -> [AIRequest] { (0..<40).map { AIRequest(prompt: .text("\($0)")) } }
        try await die(gated(gate, concurrency: 3), at: gate) { manager in
            for _ in 0..<10 { gate.admitOne() }
            let ids = try await manager.submit(batch(), to: "scripted", jobKey: key)
            for id in ids.prefix(5) { _ = try await manager.outcome(of: id) }
            await gate.arrivals(reach: 11)
        }
        let engine = try Engine([ScriptedProvider()], store: ProcessStore(machine))
        let manager = engine.manager
        try await engine.run {
            let ids = try await manager.submit(batch(), to: "scripted", jobKey: key)
            for (number, id) in ids.enumerated() {
                #expect(try await text(manager.execute(requestID: id)) == "\(number)")
                let completed = try await manager.attempts(for: id).count { $0.outcome == .completed }
                #expect(completed == 1)
            }
        }
        #expect(machine.shared.statistics().requests == [.completed: 40])
    }

    @Test("A living process keeps its leases even if it renews them late")
    func living() async throws {
        let gate = Gate()
        let first = try Engine([gated(gate)], store: ProcessStore(machine))
        let second = try Engine([ScriptedProvider()], store: ProcessStore(machine))
        let request = AIRequest(prompt: "mine")
        try await first.run {
            try await first.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            try await second.run {
                second.dates.advance(by: 1_000)
                try await second.advance(by: .seconds(5)) { second.clock.now.offset > .seconds(50) }
            }
            #expect(machine.shared.snapshot(of: request.id)?.phase == .executing)
            gate.open()
            _ = try await first.manager.execute(requestID: request.id)
        }
        #expect(try await first.manager.attempts(for: request.id).count == 1)
    }

    @Test("A process whose lock is unknown counts as dead exactly when its lease expires")
    func expiry() async throws {
        let store = InMemoryStore()
        let bench = StoreWorkbench(store: store)
        let request = AIRequest(prompt: "x")
        guard
            case .owner(let owner) = try bench.write(
                .registerOwner(
                    OwnerRegistration(
                        host: "elsewhere", processID: 1, lockName: "l", expiresAt: StoreWorkbench.date(30))))
        else { return #expect(Bool(false)) }
        var submission = try StoreWorkbench.submission(of: request, provider: "scripted")
        try submission.flight.leased(by: owner)
        try submission.flight.attemptStarted(token: 1)
        _ = try bench.write(.submit(submission))
        let engine = try Engine([ScriptedProvider()], store: store)
        let manager = engine.manager
        try await engine.run {
            engine.dates.advance(by: 30)
            try await engine.advance(by: .seconds(5)) { engine.clock.now.offset > .seconds(30) }
            #expect(try await manager.status(for: request.id).phase == .executing)
            engine.dates.advance(by: 1)
            try await engine.advance(by: .seconds(5)) { try await manager.status(for: request.id).isFinal }
            #expect(try await text(manager.execute(requestID: request.id)) == "x")
        }
        #expect(try await manager.attempts(for: request.id).map(\.outcome) == [.lost, .completed])
    }

    @Test("Each renewal extends the lease by its full duration")
    func renewal() async throws {
        let engine = try Engine()
        try await engine.run {
            engine.dates.advance(by: 20)
            try await engine.tickRenewal()
            let end = engine.dates.now.addingTimeInterval(EngineConfiguration().leaseDuration / .seconds(1))
            #expect(try engine.store.owners().map(\.registration.expiresAt) == [end])
        }
    }

    @Test("A process that was taken for dead registers again and works under its new registration")
    func deposed() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate)])
        let request = AIRequest(prompt: "x")
        try await engine.run {
            let first = try #require(try engine.store.owners().first)
            _ = try engine.store.commit([.retireOwner(first.id, at: engine.dates.now)])
            try await engine.tickRenewal()
            let second = try #require(try engine.store.owners().first)
            #expect(second.id != first.id)
            try await engine.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            let flight = try #require(try engine.store.snapshot(of: request.id)?.flight)
            #expect(try engine.store.flights([flight])[flight]?.owner == second.id)
            gate.open()
            #expect(try await text(engine.manager.execute(requestID: request.id)) == "x")
        }
        #expect(engine.log.says("warning: Another process declared this process dead"))
    }

    @Test("An engine that cannot register does not start, and releases its lock")
    func cannotRegister() async throws {
        let store = ProcessStore(machine)
        let engine = try Engine(store: store)
        store.fail()
        #expect(await code { try await engine.run {} } == .storageFull)
        #expect(machine.isFree("lock-1"))
        store.recover()
        try await engine.run {}
    }

    // MARK: Several processes

    @Test("A cancellation by another process stops the call in this one")
    func cancelledElsewhere() async throws {
        let gate = Gate()
        let provider = gated(gate)
        let worker = try Engine([provider], store: ProcessStore(machine))
        let other = try Engine(store: ProcessStore(machine)).manager
        let request = AIRequest(prompt: "x")
        try await worker.run {
            try await worker.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            let statuses = try await worker.manager.statusUpdates(for: request.id)
            #expect(try await other.cancelRequest(request.id) == .cancelled)
            #expect(try await collect(statuses).last == .cancelled)
            try await worker.expectSoon { provider.record.cancellations == 1 }
        }
        #expect(provider.record.cancellations == 1)
    }

    @Test("A call cancelled by another process is stopped, even if its request was retried before the news")
    func retriedElsewhere() async throws {
        let gate = Gate()
        let provider = gated(gate)
        let worker = try Engine([provider], store: ProcessStore(machine))
        let request = AIRequest(prompt: "x")
        try await worker.run {
            try await worker.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            // In one commit, so that no process sees one without the other.
            let now = worker.dates.now
            _ = try ProcessStore(machine).commit([.cancel(request.id, at: now), .retry(request.id, at: now)])
            try await worker.soon { try await worker.advance(by: .seconds(5)) { provider.record.calls.count == 2 } }
            gate.open()
            #expect(try await text(worker.manager.execute(requestID: request.id)) == "x")
        }
        #expect(provider.record.cancellations == 1)
        #expect(provider.record.calls.map(\.attempt) == [1, 2])
        #expect(try await worker.manager.attempts(for: request.id).map(\.outcome) == [.cancelled, .completed])
    }

    @Test("A waiter receives an outcome from another process")
    func finishedElsewhere() async throws {
        let gate = Gate()
        let worker = try Engine([gated(gate, id: "theirs")], store: ProcessStore(machine))
        let watcher = try Engine([ScriptedProvider(id: "mine")], store: ProcessStore(machine))
        let request = AIRequest(prompt: "x")
        try await worker.run {
            try await worker.manager.submit(request, to: "theirs")
            await gate.arrivals(reach: 1)
            try await watcher.run {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        let response = try await watcher.manager.execute(requestID: request.id)
                        #expect(try await text(response) == "x")
                    }
                    gate.open()
                    // The outcome committed before the watch began is seen with the next commit.
                    try await worker.advance(by: .seconds(5)) {
                        machine.shared.snapshot(of: request.id)?.phase == .completed
                    }
                    try await worker.advance(by: .seconds(5)) { worker.clock.now.offset > .seconds(60) }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test("A waiter of a request that another process deletes gets unknownRequest")
    func deletedElsewhere() async throws {
        let gate = Gate()
        let worker = try Engine([gated(gate)], store: ProcessStore(machine))
        let other = try Engine(store: ProcessStore(machine)).manager
        let request = AIRequest(prompt: "deleted elsewhere")
        try await worker.run {
            let manager = worker.manager
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            let statuses = try await manager.statusUpdates(for: request.id)
            var chunks = try await manager.stream(for: request.id).makeAsyncIterator()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    #expect(await code { _ = try await manager.outcome(of: request.id) } == .unknownRequest)
                }
                try await waitUntil { manager.engine.read { $0.watched.watcherCount(of: request.id) } >= 2 }
                try await other.delete(request.id)
                try await worker.soon {
                    #expect(await code { _ = try await collect(statuses) } == .unknownRequest)
                }
                try await group.waitForAll()
            }
            #expect(await code { _ = try await chunks.next() } == .unknownRequest)
        }
    }

    @Test("A request submitted by another process is picked up")
    func submittedElsewhere() async throws {
        let worker = try Engine([ScriptedProvider()], store: ProcessStore(machine))
        let other = try Engine(store: ProcessStore(machine)).manager
        try await worker.run {
            for number in 0..<30 {
                let request = AIRequest(prompt: .text("\(number)"))
                try await other.submit(request, to: "scripted")
                try await worker.advance(by: .seconds(5)) {
                    machine.shared.snapshot(of: request.id)?.phase == .completed
                }
            }
        }
    }

    @Test("Two processes share a backlog, and no request runs twice")
    func shared() async throws {
        let providers = [ScriptedProvider(), ScriptedProvider()]
        let engines = try providers.map { try Engine([$0], store: ProcessStore(machine)) }
        let batch = (0..<400).map { AIRequest(prompt: .text("\($0)")) }
        try await engines[0].run {
            try await engines[1].run {
                let ids = try await engines[0].manager.submit(batch, to: "scripted", jobKey: JobKey(rawValue: "j"))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for id in ids { group.addTask { _ = try await engines[0].manager.execute(requestID: id) } }
                    try await group.waitForAll()
                }
            }
        }
        let calls = providers.flatMap { $0.record.calls.map(\.request.id) }
        #expect(calls.count == 400 && Set(calls) == Set(batch.map(\.id)))
    }
}
