import Foundation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

/// Requests for the same work, from the view of clients.
@Suite(.timeLimit(.minutes(5)))
struct SingleFlightTests {
    @Test("Ten thousand identical requests from three processes are one call with one answer for all")
    func tenThousand() async throws {
        let machine = ProcessStore.Machine()
        let gate = Gate()
        let providers = (0..<3).map { _ in gated(gate, concurrency: 8) }
        let engines = try providers.map { try Engine([$0], store: ProcessStore(machine)) }
        let isOver = Gate()
        let answers = try await withThrowingTaskGroup(of: Void.self) { engineGroup in
            for engine in engines { engineGroup.addTask { try await engine.run { try await isOver.pass() } } }
            let answers = try await withThrowingTaskGroup(of: String.self, returning: [String].self) { group in
                for number in 0..<10_000 {
                    let manager = engines[number % 3].manager
                    group.addTask { try await text(manager.execute(AIRequest(prompt: "the same"), with: "scripted")) }
                }
                try await waitUntil { machine.shared.statistics().requests.values.reduce(0, +) >= 10_000 }
                gate.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            isOver.open()
            try await engineGroup.waitForAll()
            return answers
        }
        #expect(answers.count == 10_000 && Set(answers) == ["the same"])
        #expect(providers.map(\.record.calls.count).reduce(0, +) == 1)
        #expect(machine.shared.statistics().attempts == 1)
    }

    @Test("When the calling process dies, another one makes the call for all members")
    func heir() async throws {
        let machine = ProcessStore.Machine()
        let gate = Gate()
        let store = ProcessStore(machine)
        let doomed = try Engine([gated(gate)], store: store)
        let provider = ScriptedProvider()
        let heir = try Engine([provider], store: ProcessStore(machine))
        let requests = (0..<3).map { _ in AIRequest(prompt: "x") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await doomed.run { try await gate.pass() } }
            for request in requests { try await doomed.manager.submit(request, to: "scripted") }
            await gate.arrivals(reach: 2)
            store.fail()  // a dead process writes nothing
            machine.killAll()
            try await heir.run {
                for request in requests {
                    #expect(try await text(heir.manager.execute(requestID: request.id)) == "x")
                    let attempts = try await heir.manager.attempts(for: request.id)
                    #expect(attempts.map(\.attempt) == [1, 2])
                }
            }
            gate.open()
            try await group.waitForAll()
        }
        #expect(provider.record.calls.count == 1)
    }

    @Test("A waiter of a request that joined a flight gets its outcome")
    func told() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate)])
        let manager = engine.manager
        let requests = (0..<3).map { _ in AIRequest(prompt: "told") }
        try await engine.run {
            for request in requests { try await manager.submit(request, to: "scripted") }
            let waits = try await withThrowingTaskGroup(of: String.self, returning: [String].self) { group in
                for request in requests {
                    group.addTask { try await text(engine.soon { try await manager.execute(requestID: request.id) }) }
                }
                try await waitUntil {
                    manager.engine.read { core in
                        requests.allSatisfy { core.watched.watcherCount(of: $0.id) > 0 }
                    }
                }
                gate.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(waits == ["told", "told", "told"])
        }
    }

    @Test("Cancelling one member leaves the call to the others, and the last one stops it")
    func cancelling() async throws {
        let gate = Gate()
        let provider = gated(gate)
        let engine = try Engine([provider])
        let manager = engine.manager
        let requests = (0..<3).map { _ in AIRequest(prompt: "x") }
        try await engine.run {
            for request in requests { try await manager.submit(request, to: "scripted") }
            await gate.arrivals(reach: 1)
            for request in requests[..<2] { #expect(try await manager.cancelRequest(request.id) == .cancelled) }
            #expect(try await manager.status(for: requests[0].id) == .cancelled)
            #expect(provider.record.cancellations == 0)
            #expect(try await manager.status(for: requests[2].id).phase == .executing)
            #expect(try await manager.cancelRequest(requests[2].id) == .cancelled)
            try await waitUntil { provider.record.cancellations != 0 }
        }
        #expect(provider.record.calls.count == 1)
    }

    @Test("A member gets the answer even if the leading request is deleted while it runs")
    func deletedLeader() async throws {
        let gate = Gate()
        let provider = gated(gate)
        let engine = try Engine([provider])
        let manager = engine.manager
        let requests = (0..<2).map { _ in AIRequest(prompt: "deleted leader") }
        try await engine.run {
            try await manager.submit(requests[0], to: "scripted")
            await gate.arrivals(reach: 1)
            async let told = text(manager.execute(requests[1], with: "scripted"))
            try await waitUntil { try await manager.statistics().requests[.executing] == 2 }
            try await manager.delete(requests[0].id)
            gate.open()
            #expect(try await told == "deleted leader")
        }
        #expect(provider.record.calls.count == 1)
    }

    @Test("Watchers of any member receive progress and outcome")
    func watching() async throws {
        let gate = Gate()
        let provider = ScriptedProvider { call in
            do {
                try await gate.pass()
                call.report(progress: 0.5)
                try await gate.pass()
            } catch {
                return .failure(.attemptCancelled)
            }
            return .success(ProviderAnswer(.text("done")))
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        let requests = (0..<2).map { _ in AIRequest(prompt: "x") }
        try await engine.run {
            for request in requests { try await manager.submit(request, to: "scripted") }
            await gate.arrivals(reach: 1)
            let streams = try await [
                manager.statusUpdates(for: requests[0].id), manager.statusUpdates(for: requests[1].id),
            ]
            gate.admitOne()
            await gate.arrivals(reach: 2)
            for (stream, request) in zip(streams, requests) {
                var statuses = stream.makeAsyncIterator()
                var seen = try await statuses.next()
                while seen != .executing(progress: 0.5) { seen = try await statuses.next() }
                #expect(try await manager.status(for: request.id) == .executing(progress: 0.5))
            }
            gate.open()
            for request in requests {
                let response = try await manager.execute(requestID: request.id)
                #expect(response.requestID == request.id)
                #expect(try await text(response) == "done")
            }
        }
    }

    @Test("A member without a deadline gets its answer although the first member expired")
    func patience() async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 1)
        let engine = try Engine([provider])
        let manager = engine.manager
        let blocker = AIRequest(prompt: "in the way")
        let hasty = AIRequest(prompt: "x", deadline: engine.dates.now.addingTimeInterval(5))
        let patient = AIRequest(prompt: "x")
        try await engine.run {
            for request in [blocker, hasty, patient] { try await manager.submit(request, to: "scripted") }
            await gate.arrivals(reach: 1)
            try await engine.pass(until: { try await manager.status(for: hasty.id).isFinal })
            #expect(try await manager.status(for: hasty.id) == .failed(.deadlineExceeded))
            gate.open()
            #expect(try await text(manager.execute(requestID: patient.id)) == "x")
        }
        #expect(provider.record.calls.count == 2)
    }

    @Test("A member with time left gets its answer even if the store fails to release the flight")
    func patienceWithFullDisk() async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 1)
        let store = ProcessStore()
        let engine = try Engine([provider], store: store)
        let manager = engine.manager
        let blocker = AIRequest(prompt: "in the way of the full disk")
        let hasty = AIRequest(prompt: "full disk", deadline: engine.dates.now.addingTimeInterval(5))
        let patient = AIRequest(prompt: "full disk")
        let refused = Locked(0)
        try await engine.run {
            try await engine.warmUp()
            try await manager.submit(blocker, to: "scripted")
            await gate.arrivals(reach: 1)
            try await manager.submit(hasty, to: "scripted")
            // Leased for the request with little time and joined afterwards, so the process knows only the first
            // deadline.
            try await waitUntil { try await manager.snapshot(for: hasty.id).holder != nil }
            try await manager.submit(patient, to: "scripted")
            try await engine.pass(until: { try await manager.status(for: hasty.id).isFinal })
            store.fail { write in
                guard case .advance(_, let transition, _) = write, transition.new.state == .waiting else {
                    return false
                }
                refused.withLock { $0 += 1 }
                return true
            }
            gate.open()
            try await waitUntil { refused.withLock({ $0 }) != 0 }
            store.recover()
            try await engine.advance(by: .seconds(5)) { try await manager.status(for: patient.id).isFinal }
            #expect(try await text(manager.execute(requestID: patient.id)) == "full disk")
        }
        #expect(provider.record.calls.count == 3, "the warm-up, the blocker, the patient")
    }
}
