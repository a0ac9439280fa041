import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

/// The task priority with which the source is called.
@Suite(.timeLimit(.minutes(5)))
struct LoadUrgencyTests {
    private let priorities = Locked<[String: TaskPriority]>([:])
    /// The keys that the source answers.
    private let open = Locked<Set<String>>([])

    /// Returns a loader whose source records its priority until it may answer.
    private func loader() throws -> CoalescingLoader<String, String> {
        try CoalescingLoader(
            policy: LoaderPolicy(concurrency: 1), seams: .controlled(by: ManualClock())
        ) { [open, priorities] key in
            repeat {
                priorities.withLock { $0[key] = Task.currentPriority }
                try await pause()
            } while !open.withLock { $0.contains(key) }
            return key
        }
    }

    private func answer(_ key: String) { open.withLock { _ = $0.insert(key) } }

    private func isUrgent(_ key: String) -> Bool {
        priorities.withLock { $0[key].map { $0 >= .userInitiated } ?? false }
    }

    private func priority(_ name: String) -> TaskPriority? { priorities.withLock { $0[name] } }

    /// Runs a task at background priority, without a waiting caller.
    private func inBackground(_ body: @escaping @Sendable () async -> Void) async {
        await withDiscardingTaskGroup { $0.addTask(priority: .background) { await body() } }
    }

    @Test("A visible load runs at high priority, even if a background task freed its slot")
    func visible() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let loader = try loader()
        await inBackground { loader.preload(["busy"]) }
        try await waitUntil { priority("busy") != nil }
        let caller = LoadCaller(loader, "a")
        try await waitUntil { loader.state.withLock { $0.core.count } == 2 }
        #expect(!isUrgent("busy"))
        answer("busy")
        try await waitUntil { isUrgent("a") }
        answer("a")
        #expect(try await caller.value() == "a")
        await loader.shutdown()
    }

    @Test("A preload gets high priority when a visible caller joins")
    func lifted() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let loader = try loader()
        await inBackground { loader.preload(["a"]) }
        try await waitUntil { priority("a") != nil }
        #expect(!isUrgent("a"))
        let caller = LoadCaller(loader, "a")
        try await waitUntil { isUrgent("a") }
        answer("a")
        #expect(try await caller.value() == "a")
        await loader.shutdown()
    }
}
