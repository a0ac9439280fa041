import Foundation
import Hablare
import HablareTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CancellingTests {
    @Test("Cancelling a final request changes nothing and returns its status")
    func final() async throws {
        let engine = try Engine([failing(1)])
        let manager = engine.manager
        try await engine.run {
            let failed = AIRequest(prompt: "1")
            let completed = AIRequest(prompt: "2")
            _ = await code { _ = try await manager.execute(failed, with: "scripted") }
            let response = try await manager.execute(completed, with: "scripted")
            #expect(try await manager.cancelRequest(failed.id) == .alreadyFinal(.failed(StoreWorkbench.failure)))
            #expect(try await manager.cancelRequest(completed.id) == .alreadyFinal(.completed(response)))
            let waiting = AIRequest(prompt: "3")
            #expect(await code { try await manager.cancelRequest(waiting.id) } == .unknownRequest)
        }
    }

    @Test("A waiter of a cancelled request gets the cancelled outcome", arguments: [false, true])
    func waiters(isRunning: Bool) async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate)])
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        @Sendable func check() async throws {
            try await manager.submit(request, to: "scripted")
            if isRunning { await gate.arrivals(reach: 1) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let outcome = try await manager.outcome(of: request.id)
                    #expect(outcome == .cancelled)
                }
                group.addTask {
                    #expect(await code { _ = try await manager.execute(requestID: request.id) } == .cancelled)
                }
                group.addTask { _ = try await manager.cancelRequest(request.id) }
                try await group.waitForAll()
            }
        }
        if isRunning { try await engine.run { try await check() } } else { try await check() }
    }

    @Test("The late answer of a cancelled request is refused, and its cost is in the ledger")
    func lateAnswer() async throws {
        let latch = Latch()
        let gate = Gate()
        let provider = ScriptedProvider { _ in
            do { try await gate.pass() } catch { await latch.wait() }
            return .success(ProviderAnswer(.text("too late"), usage: Usage(costMicroDollars: 7)))
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        let request = AIRequest(prompt: "x")
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            try await manager.cancelRequest(request.id)
            #expect(try await manager.attempts(for: request.id).map(\.outcome) == [.cancelled])
            latch.open()
        }
        #expect(try await manager.status(for: request.id) == .cancelled)
        let attempts = try await manager.attempts(for: request.id)
        #expect(attempts.map(\.outcome) == [.discarded])
        #expect(attempts.map(\.billing) == [.billedDiscarded])
        #expect(attempts.first?.usage.costMicroDollars == 7)
    }

    @Test("Cancelling a waiting task throws CancellationError and does not cancel the request")
    func waitingTask() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate)])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await #expect(throws: CancellationError.self) {
                        try await manager.execute(request, with: "scripted")
                    }
                }
                await gate.arrivals(reach: 1)
                group.cancelAll()
                try await group.waitForAll()
            }
            #expect(try await manager.status(for: request.id).phase == .executing)
            gate.open()
            #expect(try await text(manager.execute(requestID: request.id)) == "x")
        }
    }

    @Test("cancelAll cancels all live requests over several pages and no final ones")
    func all() async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 2)
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            gate.admitOne()
            let done = AIRequest(prompt: "done")
            _ = try await manager.execute(done, with: "scripted")
            let ids = try await manager.submit(
                (0..<1_200).map { AIRequest(prompt: .text("\($0)")) }, to: "scripted", jobKey: JobKey(rawValue: "j"))
            await gate.arrivals(reach: 3)
            #expect(try await manager.cancelAll() == 1_200)
            #expect(try await manager.cancelAll() == 0)
            #expect(try await manager.statistics().requests == [.completed: 1, .cancelled: 1_200])
            #expect(try await manager.outcome(of: ids[700]) == .cancelled)
        }
        // They are cancelled page by page, and requests on the next page may start meanwhile.
        #expect(provider.record.calls.count <= 1 + 2 * 4)
    }

    @Test("Cancelling a job does not cancel other requests")
    func job() async throws {
        let manager = try Engine().manager
        let mine = JobKey(rawValue: "mine")
        _ = try await manager.submit([AIRequest(prompt: "1"), AIRequest(prompt: "2")], to: "scripted", jobKey: mine)
        _ = try await manager.submit([AIRequest(prompt: "1")], to: "scripted", jobKey: JobKey(rawValue: "other"))
        try await manager.submit(AIRequest(prompt: "1"), to: "scripted")
        #expect(try await manager.cancelAll(job: mine) == 2)
        #expect(try await manager.statistics().requests == [.pending: 2, .cancelled: 2])
    }

    @Test("A cancelled call frees its slot for the next request")
    func freesPlace() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate, concurrency: 1)])
        let manager = engine.manager
        try await engine.run {
            let first = AIRequest(prompt: "1")
            let second = AIRequest(prompt: "2")
            try await manager.submit(first, to: "scripted")
            try await manager.submit(second, to: "scripted")
            await gate.arrivals(reach: 1)
            try await manager.cancelRequest(first.id)
            try await engine.soon { await gate.arrivals(reach: 2) }
            gate.open()
            #expect(try await text(manager.execute(requestID: second.id)) == "2")
        }
    }

    @Test("A request submitted during cancelAll is either cancelled or unaffected")
    func raceWithSubmission() async throws {
        let provider = ScriptedProvider()
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            for _ in 0..<100 {
                let request = AIRequest(prompt: "x")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await manager.submit(request, to: "scripted") }
                    group.addTask { try await manager.cancelAll() }
                    try await group.waitForAll()
                }
                let outcome = try await manager.outcome(of: request.id)
                #expect(outcome == .cancelled || outcome.phase == .completed)
            }
        }
    }
}
