import Foundation
import Hablare
import HablarePresentation
import HablareTestKit

/// An engine in memory whose time stands still until it is told to move.
struct RequestScene: Sendable {
    let manager: AIRequestManager
    let clock = ManualClock()

    init(_ provider: ScriptedProvider, retry: RetryPolicy = .never) throws {
        manager = AIRequestManager(
            store: InMemoryStore(), providers: try ProviderRegistry([provider]),
            configuration: EngineConfiguration(
                attemptTimeout: .seconds(1_000_000_000), shutdownGrace: .zero, retry: retry, breaker: .never),
            seams: .controlled(by: clock))
    }

    @MainActor
    func model(_ id: UUID, showsText: Bool = true) -> RequestStatusModel {
        RequestStatusModel(
            id, manager: manager,
            options: RequestWatchOptions(showsText: showsText, placeInterval: .seconds(1), clock: EngineClock(clock)))
    }

    /// Runs an engine while something happens on the main actor.
    func run(_ body: @escaping @MainActor @Sendable () async throws -> Void) async throws {
        try await EngineService.run(manager) { try await body() }
    }
}

/// Waits until something is so, which may need time to pass on a clock.
@MainActor
func until(passing clock: ManualClock? = nil, _ condition: () async throws -> Bool) async throws {
    while try await !condition() {
        try Task.checkCancellation()
        clock?.advance(by: .milliseconds(25))
        await Task.yield()
    }
}
