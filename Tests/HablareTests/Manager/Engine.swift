import Foundation
import Hablare
import HablareStores
import HablareTestKit
import Logging
import Testing

/// An engine whose time stands still until it is told to move, around a store and scripted providers.
struct Engine {
    let manager: AIRequestManager
    let clock = ManualClock()
    let dates = ManualDates()
    let store: any RequestStore
    /// What it logs, unless it was given a logger.
    let log = LogRecorder()
    private let renewals: RenewalCounter

    init(
        _ providers: [any AIServiceProvider] = [ScriptedProvider()], store: any RequestStore = InMemoryStore(),
        configuration: EngineConfiguration? = nil, jitter: Double = 1, observation: EngineObservation = .none,
        logger: Logger? = nil
    ) throws {
        self.store = store
        renewals = RenewalCounter(store)
        // Tests that run the clock ahead do not mean attempts to time out by it, unless they say so.
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

    /// Runs the engine while the body runs. Where the body fails, the engine is stopped instead of being shut down: its
    /// clock stands still, and calls that wait at a gate would wait for ever.
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

    /// Lets a provider answer once. Time stands still, so the engine learns that its calls take none, and then leases
    /// more than it has room for: before that it leases what it can run at once.
    func warmUp(_ provider: ProviderID = "scripted") async throws {
        _ = try await manager.execute(AIRequest(prompt: .text(warmUpPrompt)), with: provider)
    }

    /// Waits until a request is in a phase. Looks again and again, because not every change is announced.
    func reach(_ phase: RequestPhase, _ id: UUID) async throws {
        try await expectSoon { try await manager.snapshot(for: id).phase == phase }
    }
}

/// The date, which stands still until it is told to move.
final class ManualDates: Sendable {
    private let state = Guarded(StoreWorkbench.date(0))
    var now: Date { state.withLock { $0 } }
    func advance(by seconds: TimeInterval) { state.withLock { $0 = $0.addingTimeInterval(seconds) } }
}

/// Text of a response.
func text(_ response: AIResponseData) async throws -> String {
    String(decoding: try await response.content.body?.data() ?? Data(), as: UTF8.self)
}

/// What a provider at a gate answers without waiting.
private let warmUpPrompt = "warm-up"

/// A provider that waits at a gate, then answers with its prompt.
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

/// A provider that fails so many times, then answers with its prompt.
func failing(_ times: Int, with error: AIServiceError = StoreWorkbench.failure) -> ScriptedProvider {
    let left = Guarded(times)
    return ScriptedProvider { call in
        let fails = left.withLock { left in
            left -= 1
            return left >= 0
        }
        return fails ? .failure(error) : .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
    }
}

/// The code of the error that an operation must fail with.
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

/// Everything a stream says until it ends.
func collect(_ stream: AsyncThrowingStream<RequestStatus, any Error>) async throws -> [RequestStatus] {
    var statuses: [RequestStatus] = []
    for try await status in stream { statuses.append(status) }
    return statuses
}

extension Engine {
    /// Moves the clock in small steps until something is so. Where it does not come, the test fails after a second or two.
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

/// Holds whoever waits, cancelled or not: a provider that does not listen.
final class Latch: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

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
    /// Lets time pass, for dates and clock alike, in steps of a second at most, and whatever wakes run.
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

    /// Lets time pass until something is so. Where it does not come, the test fails after a few seconds.
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
    /// Lets the housekeeper look around: once more from its beginning to its end, at least. The second renewal from now
    /// begins after the first has ended.
    func tickRenewal() async throws {
        let enough = renewals.begun + 2
        try await advance(by: .seconds(5)) { renewals.begun >= enough }
    }
}

/// Counts the renewals that an engine has begun, whether its store takes them or not.
private final class RenewalCounter: ForwardingStore {
    let base: any RequestStore
    private let count = Guarded(0)

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
    /// So often an engine goes round before what has not happened is not expected any more.
    private static let rounds = 10_000

    /// Lets others run, and what waits for the journal's thread get on: however fast that is, it has done what it was
    /// given before this commit, which changes nothing.
    private func goRound() async throws {
        try await pause()
        _ = await code { try await manager.cancelRequest(UUID()) }
    }

    /// What an operation answers that needs no time to pass. Where it does not come, the test fails after a second or two
    /// instead of waiting for its time limit: the engine goes round many times meanwhile, each time with a commit that
    /// changes nothing, so that whatever is under way gets on.
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

    /// Waits until something is so that needs no time to pass.
    func expectSoon(
        sourceLocation: SourceLocation = #_sourceLocation, _ condition: @escaping @Sendable () async throws -> Bool
    ) async throws {
        try await soon(sourceLocation: sourceLocation) {
            while try await !condition() { try await pause() }
        }
    }
}

/// Lets others run until something is so, which needs no time to pass. Where it does not come, the test fails long before
/// its time limit; with what a machine may need whose processors are given to others.
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

/// Lets others run. Ends a loop that waits in vain when the test's time is over.
func pause() async throws {
    try Task.checkCancellation()
    await Task.yield()
}
