import Foundation
import Hablare
import HablarePresentation
import HablareStores
import HablareTestKit

/// An engine in memory whose time stands still until it is told to move.
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

    /// A provider whose first attempt fails, and whose next ones answer once the gate lets them.
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
            options: RequestWatchOptions(showsText: showsText, placeInterval: .seconds(1), clock: EngineClock(clock)))
    }

    /// Submits a request, and begins to watch it.
    @MainActor
    func watched(_ request: AIRequest = AIRequest(prompt: "hello")) async throws -> RequestStatusModel {
        try await manager.submit(request, to: "scripted")
        let model = model(request.id)
        model.start()
        return model
    }

    /// Runs an engine while something happens on the main actor.
    func run(_ body: @escaping @MainActor @Sendable () async throws -> Void) async throws {
        try await EngineService.run(manager) { try await body() }
    }
}

extension ScriptedProvider {
    /// Answers at a gate with the prompt.
    static func gated(_ gate: Gate, concurrency: Int = 4) -> ScriptedProvider {
        ScriptedProvider(limits: ProviderLimits(concurrency: concurrency)) { call in
            do { try await gate.pass() } catch { return .failure(AIServiceError(.connectionLost, "It was cut.")) }
            return .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
        }
    }
}

extension RequestStatusModel {
    /// Whether what is shown is that the request runs.
    var isRunning: Bool { if case .running = state { true } else { false } }
}

/// Not the state that a test expects.
struct Unexpected: Error {
    let state: RequestViewState
    init(_ state: RequestViewState) { self.state = state }
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
