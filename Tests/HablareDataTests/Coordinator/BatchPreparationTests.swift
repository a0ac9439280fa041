import Dispatch
import GRDB
import Hablare
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareData

@Suite("Preparation of a batch", .timeLimit(.minutes(2)))
@MainActor struct BatchPreparationTests {
    private final class Model {
        var text = ""
    }

    /// An executor that counts its jobs, and holds them until it is released.
    private final class HeldExecutor: TaskExecutor {
        private struct State {
            var count = 0
            var held: [UnownedJob]? = []
        }

        private let state = Locked(State())
        private let queue = DispatchQueue(label: "hablare.test.held")

        var count: Int { state.withLock { $0.count } }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let isHeld = state.withLock { state in
                state.count += 1
                state.held?.append(job)
                return state.held != nil
            }
            if !isHeld { run(job) }
        }

        func letGo() {
            let held = state.withLock { state in
                defer { state.held = nil }
                return state.held ?? []
            }
            for job in held { run(job) }
        }

        private func run(_ job: UnownedJob) {
            queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test("A batch is prepared a few chunks at a time, and completely in the end")
    func few() async throws {
        let executor = HeldExecutor()
        let bench = try DataWorkbench()
        var seams = bench.seams
        seams.taskExecutor = executor
        let coordinator = AIDataCoordinator(manager: bench.manager, database: bench.database, seams: seams)
        async let isMerged = isMerged(20, by: coordinator)
        while executor.count < Chunks.givenWidth { await Task.yield() }
        for _ in 0..<1000 { await Task.yield() }
        #expect(executor.count == Chunks.givenWidth)
        executor.letGo()
        #expect(await isMerged)
    }

    /// Merges texts of a chunk's size.
    private func isMerged(_ count: Int, by coordinator: AIDataCoordinator) async -> Bool {
        let text = String(repeating: "x", count: Chunks.maximumBytes)
        let body = Body(text)
        let asks = (0..<count).map { _ in (response(.text(body)), Model()) }
        let outcomes = await coordinator.merge(asks, property: \.text)
        return outcomes.allSatisfy { (try? $0.get()) == .merged } && asks.allSatisfy { $0.1.text == text }
    }
}
