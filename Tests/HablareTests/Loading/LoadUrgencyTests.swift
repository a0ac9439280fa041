import HablareTestKit
import Testing

@testable import Hablare

extension CoalescingLoader.Ask {
    /// Whether its caller does not wait yet.
    fileprivate var isBegun: Bool { if case .begun = self { true } else { false } }
}

/// At which priority the source is called.
@Suite(.timeLimit(.minutes(5)))
struct LoadUrgencyTests {
    private let gate = Gate()
    private let priorities = Guarded<[String: TaskPriority]>([:])

    /// A loader whose source notes its priority, waits for the gate, and notes it again.
    private func loader() throws -> CoalescingLoader<String, String> {
        try CoalescingLoader(
            policy: LoaderPolicy(concurrency: 1), seams: .controlled(by: ManualClock())
        ) { [gate, priorities] key in
            priorities.withLock { $0[key] = Task.currentPriority }
            try await gate.pass()
            priorities.withLock { $0["\(key) at the end"] = Task.currentPriority }
            return key
        }
    }

    private func priority(_ name: String) -> TaskPriority? { priorities.withLock { $0[name] } }

    /// What runs where nobody waits for it.
    private func inBackground(_ body: @escaping @Sendable () async -> Void) async {
        await withDiscardingTaskGroup { $0.addTask(priority: .background) { await body() } }
    }

    @Test("What is visible is urgent, though its place was given up by somebody in the background")
    func visible() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let loader = try loader()
        await inBackground { loader.preload(["busy"]) }
        try await waitUntil { priority("busy") != nil }
        let caller = LoadCaller(loader, "a")
        try await waitUntil { loader.state.withLock { $0.core.count } == 2 }
        gate.open()
        #expect(try await caller.value() == "a")
        #expect(try #require(priority("busy")) < .userInitiated)
        #expect(try #require(priority("a")) >= .userInitiated)
        await loader.shutdown()
    }

    @Test("What is preloaded becomes urgent when somebody looks")
    func lifted() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let loader = try loader()
        await inBackground { loader.preload(["a"]) }
        try await waitUntil { priority("a") != nil }
        let caller = LoadCaller(loader, "a")
        try await waitUntil { loader.state.withLock { !$0.asks.values.allSatisfy(\.isBegun) } }
        gate.open()
        #expect(try await caller.value() == "a")
        #expect(try #require(priority("a")) < .userInitiated)
        #expect(try #require(priority("a at the end")) >= .userInitiated)
        await loader.shutdown()
    }
}
