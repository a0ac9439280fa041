import Foundation
import Hablare
import HablarePresentation
import HablareStores
import HablareTestKit

/// An engine in memory on a manual clock.
struct RequestScene: Sendable {
    let manager: AIRequestManager
    let clock = ManualClock()

    init(
        _ provider: ScriptedProvider, retry: RetryPolicy = .never, store: some RequestStore = InMemoryStore()
    ) throws {
        manager = AIRequestManager(
            store: store, providers: try ProviderRegistry([provider]),
            configuration: EngineConfiguration(
                attemptTimeout: .seconds(1_000_000_000), shutdownGrace: .zero, retry: retry, breaker: .never),
            seams: .controlled(by: clock))
    }

    /// Returns a provider whose first attempt fails, and whose next ones answer when the gate opens.
    static func failing(with error: AIServiceError, then gate: Gate) -> ScriptedProvider {
        ScriptedProvider { call in
            guard call.attempt > 1 else { return .failure(error) }
            do { try await gate.pass() } catch { return .failure(AIServiceError(.connectionLost, "It was cut.")) }
            return .success(ProviderAnswer(.text("there you are")))
        }
    }

    @MainActor
    func model(_ id: UUID, showsText: Bool = true) -> RequestStatusModel {
        RequestStatusModel(
            id, manager: manager,
            options: RequestWatchOptions(showsText: showsText, positionInterval: .seconds(1), clock: EngineClock(clock))
        )
    }

    /// Submits a request, and begins to watch it.
    @MainActor
    func watched(_ request: AIRequest = AIRequest(prompt: "hello")) async throws -> RequestStatusModel {
        try await manager.submit(request, to: "scripted")
        let model = model(request.id)
        model.start()
        return model
    }

    /// Runs an engine during a closure on the main actor.
    func run(_ body: @escaping @MainActor @Sendable () async throws -> Void) async throws {
        try await EngineService.run(manager) { try await body() }
    }
}

extension ScriptedProvider {
    /// Returns a provider that answers with the prompt when a gate opens.
    static func gated(_ gate: Gate, concurrency: Int = 4) -> ScriptedProvider {
        ScriptedProvider(limits: ProviderLimits(concurrency: concurrency)) { call in
            do { try await gate.pass() } catch { return .failure(AIServiceError(.connectionLost, "It was cut.")) }
            return .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
        }
    }
}

extension RequestStatusModel {
    /// Whether the shown state is that the request runs.
    var isRunning: Bool { if case .running = state { true } else { false } }
}

/// An error for an unexpected state.
struct Unexpected: Error {
    let state: RequestViewState
    init(_ state: RequestViewState) { self.state = state }
}

/// Waits until a condition holds, and moves a clock meanwhile if there is one.
@MainActor
func until(passing clock: ManualClock? = nil, _ condition: () async throws -> Bool) async throws {
    while try await !condition() {
        try Task.checkCancellation()
        clock?.advance(by: .milliseconds(25))
        await Task.yield()
    }
}
