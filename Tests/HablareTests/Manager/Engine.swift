import Foundation
import Hablare
import HablareStores
import HablareSupport
import HablareTestKit
import Logging
import Testing

/// An engine with a manual clock, a store and scripted providers.
struct Engine {
    let manager: AIRequestManager
    let clock = ManualClock()
    let dates = ManualDates()
    let store: any RequestStore
    /// The engine's log, unless it was given a logger.
    let log = LogRecorder()
    private let renewals: RenewalCounter

    init(
        _ providers: [any AIServiceProvider] = [ScriptedProvider()], store: any RequestStore = InMemoryStore(),
        configuration: EngineConfiguration? = nil, jitter: Double = 1, observation: EngineObservation = .none,
        logger: Logger? = nil
    ) throws {
        self.store = store
        renewals = RenewalCounter(store)
        // Tests that advance the clock do not expect attempts to time out, unless they set a timeout.
        let configuration =
            configuration
            ?? EngineConfiguration(attemptTimeout: .seconds(1_000_000_000), retry: .never, breaker: .never)
        let dates = self.dates
        let seams = EngineSeams(
            clock: EngineClock(clock), date: { dates.now }, jitter: { jitter }, observation: observation)
        manager = AIRequestManager(
            store: renewals, providers: try ProviderRegistry(providers), configuration: configuration, seams: seams,
            logger: logger ?? log.logger)
    }

    /// Runs the engine while the body runs. If the body fails, the engine is cancelled instead of shut down: its clock
    /// stands still, and calls that wait at a gate would wait forever.
    func run<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
        let failed = AsyncStream.makeStream(of: Void.self)
        return try await withThrowingTaskGroup(of: R.self) { group in
            group.addTask {
                defer { failed.continuation.finish() }
                return try await EngineService.run(manager) {
                    do {
                        return try await body()
                    } catch {
                        failed.continuation.yield()
                        throw error
                    }
                }
            }
            for await _ in failed.stream { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    /// Lets a provider answer once. Time stands still, so the engine learns that calls take no time, and then leases
    /// more than it has slots for. Before that it leases only what it can run at once.
    func warmUp(_ provider: ProviderID = "scripted") async throws {
        _ = try await manager.execute(AIRequest(prompt: .text(warmUpPrompt)), with: provider)
    }

    /// Waits until a request is in a phase. Polls, because not every change is announced.
    func reach(_ phase: RequestPhase, _ id: UUID) async throws {
        try await expectSoon { try await manager.snapshot(for: id).phase == phase }
    }
}

/// A date that stands still until it is advanced.
final class ManualDates: Sendable {
    private let state = Locked(StoreWorkbench.date(0))
    var now: Date { state.withLock { $0 } }
    func advance(by seconds: TimeInterval) { state.withLock { $0 = $0.addingTimeInterval(seconds) } }
}

/// Returns the text of a response.
func text(_ response: AIResponseData) async throws -> String {
    String(decoding: try await response.content.body?.data() ?? Data(), as: UTF8.self)
}

/// The prompt that a gated provider answers without waiting.
private let warmUpPrompt = "warm-up"

/// Returns a provider that waits at a gate and answers with its prompt.
func gated(_ gate: Gate, id: ProviderID = "scripted", concurrency: Int = 4) -> ScriptedProvider {
    ScriptedProvider(id: id, limits: ProviderLimits(concurrency: concurrency)) { call in
        do {
            if call.request.prompt.plainText != warmUpPrompt { try await gate.pass() }
        } catch {
            return .failure(
                AIServiceError(AIServiceError.Code(rawValue: "network"), "The connection was cut.", category: .network))
        }
        return .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
    }
}

/// Returns a provider that fails this number of times and then answers with its prompt.
func failing(_ times: Int, with error: AIServiceError = StoreWorkbench.failure) -> ScriptedProvider {
    let left = Locked(times)
    return ScriptedProvider { call in
        let fails = left.withLock { left in
            left -= 1
            return left >= 0
        }
        return fails ? .failure(error) : .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
    }
}

/// Returns the code of the error that an operation must throw.
func code(of operation: () async throws -> Void) async -> AIServiceError.Code? {
    do {
        try await operation()
        Issue.record("Nothing failed")
        return nil
    } catch let error as AIServiceError {
        return error.code
    } catch {
        Issue.record("An error of another kind: \(error)")
        return nil
    }
}

/// Returns the elements of a stream until its end.
func collect(_ stream: AsyncThrowingStream<RequestStatus, any Error>) async throws -> [RequestStatus] {
    var statuses: [RequestStatus] = []
    for try await status in stream { statuses.append(status) }
    return statuses
}

extension Engine {
    /// Advances the clock in small steps until a condition holds. Otherwise the test fails after a second or two.
    func advance(
        by step: Duration = .seconds(1), sourceLocation: SourceLocation = #_sourceLocation,
        until condition: () async throws -> Bool
    ) async throws {
        for _ in 0..<Self.rounds {
            if try await condition() { return }
            clock.advance(by: step)
            try await goRound()
        }
        try #require(try await condition(), "It has not come.", sourceLocation: sourceLocation)
    }
}

/// Blocks its callers even if they are cancelled, like a provider that ignores cancellation.
final class Latch: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

extension Engine {
    /// Advances dates and clock in steps of a second at most, and lets woken tasks run.
    func pass(_ seconds: TimeInterval) async throws {
        var left = seconds
        while left > 0 {
            let step = min(1, left)
            dates.advance(by: step)
            clock.advance(by: .seconds(step))
            for _ in 0..<20 { try await pause() }
            left -= step
        }
    }

    /// Advances the time until a condition holds. Otherwise the test fails after a few seconds.
    func pass(
        sourceLocation: SourceLocation = #_sourceLocation, until condition: () async throws -> Bool
    ) async throws {
        for _ in 0..<Self.rounds {
            if try await condition() { return }
            try await pass(1)
            try await goRound()
        }
        try #require(try await condition(), "It has not come.", sourceLocation: sourceLocation)
    }
}

extension Engine {
    /// Waits for at least one full round of the housekeeper. The second renewal from now begins after the first has
    /// ended.
    func tickRenewal() async throws {
        let enough = renewals.begun + 2
        try await advance(by: .seconds(5)) { renewals.begun >= enough }
    }
}

/// Counts the renewals that an engine has begun, even if its store refuses them.
private final class RenewalCounter: ForwardingStore {
    let base: any RequestStore
    private let count = Locked(0)

    init(_ base: any RequestStore) {
        self.base = base
    }

    var begun: Int { count.withLock { $0 } }

    func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
        if writes.contains(where: \.isRenewal) { count.withLock { $0 += 1 } }
        return try base.commit(writes)
    }
}

extension StoreWrite {
    fileprivate var isRenewal: Bool { if case .renewOwner = self { true } else { false } }
}

extension Engine {
    /// The number of rounds after which an event is no longer expected.
    private static let rounds = 10_000

    /// Lets other tasks run and the journal's thread proceed. This commit without changes waits for everything
    /// submitted before it.
    private func goRound() async throws {
        try await pause()
        _ = await code { try await manager.cancelRequest(UUID()) }
    }

    /// Returns the result of an operation that needs no time to pass. Otherwise the test fails after a second or two
    /// instead of at its time limit. Meanwhile it makes commits without changes, so that running work proceeds.
    func soon<R: Sendable>(
        sourceLocation: SourceLocation = #_sourceLocation, _ operation: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        try await withThrowingTaskGroup(of: R?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                for _ in 0..<Self.rounds { try await goRound() }
                return nil
            }
            defer { group.cancelAll() }
            let first = try await group.next() ?? nil
            return try #require(first, "It has not come.", sourceLocation: sourceLocation)
        }
    }

    /// Waits until a condition holds that needs no time to pass.
    func expectSoon(
        sourceLocation: SourceLocation = #_sourceLocation, _ condition: @escaping @Sendable () async throws -> Bool
    ) async throws {
        try await soon(sourceLocation: sourceLocation) {
            while try await !condition() { try await pause() }
        }
    }
}

/// Lets other tasks run until a condition holds that needs no time to pass. Otherwise the test fails long before its
/// time limit. The limit allows for a machine whose processors are busy.
func waitUntil(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(100)
    while try await !condition() {
        let isInTime = ContinuousClock.now < end
        try #require(isInTime, "It has not come.", sourceLocation: sourceLocation)
        try await pause()
    }
}

/// Lets other tasks run. Throws when the test's time is over, which ends a loop that waits in vain.
func pause() async throws {
    try Task.checkCancellation()
    await Task.yield()
}
