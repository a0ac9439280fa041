import Foundation
import HablareSQLite
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

/// Identical requests whose calling process dies after the attempt is on disk and before anything is sent.
@Suite(.timeLimit(.minutes(15)))
struct DeathBeforeSendingTests {
    /// One of several processes on a store.
    private struct Process: Sendable {
        private struct Died: Error {}

        let engine: Engine
        let store: DyingStore
        let provider: ScriptedProvider

        init(_ base: any RequestStore, sharing fate: DyingStore.Fate, _ gate: Gate) throws {
            store = DyingStore(base, sharing: fate)
            provider = gated(gate)
            engine = try Engine([provider], store: store)
        }

        /// Runs the body to its end, or until the process is dead.
        func run(_ body: @escaping @Sendable (AIRequestManager) async throws -> Void) async throws {
            let hasEnded = Locked(false)
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    defer { group.cancelAll() }
                    group.addTask {
                        defer { hasEnded.withLock { $0 = true } }
                        try await engine.run { try await body(engine.manager) }
                    }
                    // A dead process's remaining tasks must not wait for a time that does not come.
                    group.addTask {
                        while !hasEnded.withLock({ $0 }) {
                            if store.isDead { engine.clock.advance(by: .seconds(1)) }
                            await Task.yield()
                        }
                    }
                    // Without a limit: the end of the body ends this as well.
                    group.addTask {
                        while !store.isDead { try await pause() }
                        throw Died()
                    }
                    _ = try await group.next()
                }
            } catch  where store.isDead {
                // The errors that its clients received do not matter.
            }
        }
    }

    /// The number of clock steps after which an event is no longer expected.
    private static let rounds = 2_000

    /// Submits a share of the same work to each process. Clients of the dead process submit to another one again.
    private func everybodyIsAnswered(_ count: Int, of prompt: String, by stores: [any RequestStore]) async throws {
        let (fate, gate, isOver) = (DyingStore.Fate(), Gate(), Gate())
        let processes = try stores.map { try Process($0, sharing: fate, gate) }
        let requests = (0..<count).map { _ in AIRequest(prompt: .text(prompt)) }
        let answers = Locked<[UUID: String]>([:])

        /// Runs the clients of a process.
        @Sendable func ask(_ manager: AIRequestManager, share: Int) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, request) in requests.enumerated() where number % processes.count == share {
                    group.addTask {
                        let answer = try await text(manager.execute(request, with: "scripted"))
                        answers.withLock { $0[request.id] = answer }
                    }
                }
                while try await group.next() != nil {}
            }
        }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for (share, process) in processes.enumerated() {
                group.addTask {
                    try await process.run { manager in
                        try await ask(manager, share: share)
                        try await isOver.pass()
                    }
                }
            }
            group.addTask {
                var dead: Int?
                while dead == nil {
                    try await pause()
                    dead = processes.firstIndex { $0.store.isDead }
                }
                let share = try #require(dead)
                let heirs = processes.filter { !$0.store.isDead }
                try await withThrowingTaskGroup(of: Void.self) { again in
                    again.addTask { try await ask(heirs[0].engine.manager, share: share) }
                    try await waitUntil { try stores[0].statistics().requests.values.reduce(0, +) >= count }
                    var calls = 0
                    for _ in 0..<Self.rounds where calls == 0 {
                        for heir in heirs {
                            heir.engine.clock.advance(by: .seconds(1))
                            // A commit without changes gives running work a chance to proceed.
                            _ = await code { try await heir.engine.manager.cancelRequest(UUID()) }
                        }
                        try await pause()
                        calls = processes.map(\.provider.record.calls.count).reduce(0, +)
                    }
                    try #require(calls > 0, "Nobody took over.")
                    gate.open()
                    while try await again.next() != nil {}
                }
                isOver.open()
                #expect(processes[share].provider.record.calls.isEmpty)
            }
            // The first error ends everything.
            while try await group.next() != nil {}
        }
        let told = answers.withLock { $0 }
        #expect(told.count == count && Set(told.values) == [prompt])
        #expect(processes.map(\.provider.record.calls.count).reduce(0, +) == 1)
        #expect(try stores[0].statistics().attempts == 2)
        let attempts = try stores[0].attempts(of: requests[count / 2].id)
        #expect(attempts.map(\.outcome) == [.lost, .completed])
        #expect(attempts.map(\.billing) == [.maybeBilled, .billed], "nobody knows that it was not sent")
    }

    @Test("Ten thousand identical requests are one call, even if the calling process dies before sending")
    func tenThousand() async throws {
        let machine = ProcessStore.Machine()
        try await everybodyIsAnswered(
            10_000, of: "left by the dead", by: (0..<3).map { _ in ProcessStore(machine) })
    }

    @Test("Identical requests are one call if their process dies, with a shared database")
    func database() async throws {
        try await withFolder { folder in
            let stores = try (0..<3).map { _ in try SQLiteStore(directory: folder) }
            try await everybodyIsAnswered(300, of: "left by the dead, in a file", by: stores)
        }
    }
}
