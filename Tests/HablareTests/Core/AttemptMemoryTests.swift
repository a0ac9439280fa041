// The thread sanitizer has memory of its own for every byte.
#if os(Linux) && !TSAN
import Foundation
import Glibc
import Hablare
import HablareStores
import HablareTestKit
import Testing

/// Measures the memory of an attempt in flight, see ``AttemptTask``.
@Suite(.timeLimit(.minutes(5))) struct AttemptMemoryTests {
    /// Never answers, and keeps only the fact that a call was made.
    private actor HoldingProvider: AIServiceProvider {
        nonisolated let id: ProviderID = "holding"
        nonisolated let responseType = ContentType.text
        nonisolated let limits = ProviderLimits(concurrency: .max)
        private(set) var count = 0
        private var calls: [CheckedContinuation<Void, Never>] = []

        func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
            count += 1
            await withCheckedContinuation { calls.append($0) }
            return .failure(AIServiceError(.cancelled, "Shut down."))
        }

        func end() {
            for call in calls { call.resume() }
            calls = []
        }
    }

    /// Returns the resident bytes of the process, by proc(5), after it has freed what it does not use.
    private static func resident() throws -> Int {
        // In malloc.h, which Swift's module of the C library leaves out; see malloc_trim(3).
        typealias Trim = @convention(c) (Int) -> Int32
        let trim = unsafeBitCast(try #require(dlsym(nil, "malloc_trim")), to: Trim.self)
        _ = trim(0)
        let sizes = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(sizes.count > 1 ? Int(sizes[1]) : nil) * Int(getpagesize())
    }

    // In a process of its own, because allocations of concurrent tests would be counted.
    @Test("An attempt in flight takes at most 5 KB in addition to its request's row")
    func inFlight() async {
        await #expect(processExitsWith: .success) {
            // A debug build keeps everything that a function touches in its frame.
            #if DEBUG
            let limit = 10_000
            #else
            let limit = 5_000
            #endif
            let count = 8_000
            let provider = HoldingProvider()
            let manager = AIRequestManager(
                store: InMemoryStore(), providers: try ProviderRegistry([provider]),
                configuration: EngineConfiguration(attemptTimeout: .seconds(86_400), retry: .never))
            for number in 0..<count { try await manager.submit(AIRequest(prompt: .text("\(number)")), to: "holding") }
            let waiting = try AttemptMemoryTests.resident()
            try await EngineService.run(manager) {
                while await provider.count < count { await Task.yield() }
                // The memory of the last commits does not belong to the attempts.
                await manager.eventsTold()
                let bytes = (try AttemptMemoryTests.resident() - waiting) / count
                #expect(bytes <= limit, "an attempt in flight takes \(bytes) bytes")
                await provider.end()
            }
        }
    }
}
#endif
