import Hablare
import HablarePresentationTestKit
import Testing

@testable import HablarePresentation

@Suite(.timeLimit(.minutes(2))) struct SharedLoadTests {
    private let loads = ScriptedLoads(listens: true)

    private func shared() -> SharedLoad<String> {
        SharedLoad(TaskSpawner(executor: nil)) { [loads] in try await loads.load() }
    }

    private func until(_ condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("Concurrent callers get the value of one load")
    func once() async throws {
        let shared = shared()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await shared.value() } }
            try await until { shared.waiterCount == 20 }
            loads.answer(1, "one")
            for try await value in group { #expect(value == "one") }
        }
        #expect(loads.count == 1)
    }

    @Test("All callers get a load's error, and the next caller starts a new load")
    func error() async throws {
        let shared = shared()
        loads.answer(1, .failure(AIServiceError(.connectionFailed, "No network.")))
        await #expect(throws: AIServiceError.self) { try await shared.value() }
        loads.answer(2, "two")
        #expect(try await shared.value() == "two")
    }

    @Test("A cancelled caller returns at once, and the load continues for the others")
    func leaves() async throws {
        let shared = shared()
        try await withThrowingTaskGroup(of: String.self) { group in
            group.addTask { try await shared.value() }
            try await until { shared.waiterCount == 1 }
            await withTaskGroup(of: Bool.self) { leaving in
                leaving.addTask {
                    do { _ = try await shared.value() } catch { return error is CancellationError }
                    return false
                }
                while shared.waiterCount < 2 { await Task.yield() }
                leaving.cancelAll()
                for await isCancelled in leaving { #expect(isCancelled) }
            }
            #expect(loads.cancelled.isEmpty)
            loads.answer(1, "one")
            #expect(try await group.next() == "one")
        }
    }

    @Test("The load is cancelled with the last caller, and the next caller starts a new load")
    func lastLeaves() async throws {
        let shared = shared()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await shared.value() }
            while shared.waiterCount < 1 || loads.count < 1 { await Task.yield() }
            group.cancelAll()
        }
        try await until { loads.cancelled == [1] }
        loads.answer(2, "two")
        #expect(try await shared.value() == "two")
    }

    @Test("A caller that was cancelled beforehand starts no load")
    func beforehand() async throws {
        let shared = shared()
        await withTaskGroup(of: Bool.self) { group in
            group.cancelAll()
            group.addTask {
                do { _ = try await shared.value() } catch { return error is CancellationError }
                return false
            }
            for await isCancelled in group { #expect(isCancelled) }
        }
        #expect(loads.count == 0)
    }
}
