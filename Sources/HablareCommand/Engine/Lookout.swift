import Foundation
import Hablare

/// Waits for requests as the engine does, and notices what the engine does not announce as an end: that one is held, or
/// waits for a provider that is left alone.
///
/// Reads the requests that are waited for whenever something was written to the store, by whichever process, at most
/// every quarter of a second; when nothing is written, it reads nothing.
final class Lookout: Sendable {
    /// How a wait ended.
    enum Ending: Sendable {
        /// With the request's final status.
        case final(RequestStatus)
        /// The request is held: without somebody's word nothing more will come.
        case held
        /// The request waits for a provider that this process leaves alone.
        case left
    }

    private struct State: Sendable {
        var waiting: [UUID: [Int: AsyncThrowingStream<Ending, any Error>.Continuation]] = [:]
        var last = 0
    }

    /// The pause between two looks.
    private static let interval = Duration.milliseconds(250)

    private let manager: AIRequestManager
    private let signal: (any StoreSignal)?
    private let clock: EngineClock
    private let isLeft: @Sendable (ProviderID) -> Bool
    private let retrying: @Sendable (Int) -> Void
    private let looked: @Sendable (RequestSnapshot) -> Void
    private let state = Guarded(State())
    private let nudges = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Creates a lookout.
    ///
    /// - Parameters:
    ///   - isLeft: Whether a provider is left alone. When that begins, something has to be written to the store.
    ///   - retrying: Told how many of those that are waited for back off after a failure.
    ///   - looked: Told at every look of each that waits.
    init(
        manager: AIRequestManager, signal: (any StoreSignal)?, clock: EngineClock,
        isLeft: @escaping @Sendable (ProviderID) -> Bool = { _ in false },
        retrying: @escaping @Sendable (Int) -> Void = { _ in },
        looked: @escaping @Sendable (RequestSnapshot) -> Void = { _ in }
    ) {
        self.manager = manager
        self.signal = signal
        self.clock = clock
        self.isLeft = isLeft
        self.retrying = retrying
        self.looked = looked
    }

    // MARK: Waiting

    /// Waits until a request is final, held or left. Needs ``run()`` beside it.
    ///
    /// - Throws: `AIServiceError`, `CancellationError`.
    func ending(of id: UUID) async throws -> Ending {
        try await withThrowingTaskGroup(of: Ending.self) { group in
            defer { group.cancelAll() }
            group.addTask { [manager] in .final(try await manager.outcome(of: id)) }
            group.addTask { try await self.standstill(of: id) }
            guard let ending = try await group.next() else { throw CancellationError() }
            return ending
        }
    }

    /// Waits until a request is held or left, which it may never be. It need not be there yet. Needs ``run()`` beside it.
    ///
    /// - Throws: `AIServiceError`, `CancellationError`.
    func standstill(of id: UUID) async throws -> Ending {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Ending.self, throwing: (any Error).self)
        let number = state.withLock { state in
            state.last += 1
            state.waiting[id, default: [:]][state.last] = continuation
            return state.last
        }
        defer {
            state.withLock { state in
                state.waiting[id]?[number] = nil
                if state.waiting[id]?.isEmpty == true { state.waiting[id] = nil }
            }
        }
        // It may have been held before anybody looked.
        nudges.continuation.yield()
        for try await ending in stream { return ending }
        throw CancellationError()
    }

    // MARK: Looking

    /// Looks until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [signal, nudges] in
                guard let changes = signal?.changes() else { return }
                for await _ in changes { nudges.continuation.yield() }
            }
            defer { group.cancelAll() }
            for await _ in nudges.stream {
                await look()
                do {
                    try await clock.sleep(for: Self.interval)
                } catch {
                    return  // the work is over, or stopped
                }
            }
        }
    }

    private func look() async {
        let ids = state.withLock { Array($0.waiting.keys) }
        guard !ids.isEmpty else { return retrying(0) }
        do {
            let snapshots = try await manager.snapshots(SnapshotFilter(phases: [.pending], ids: ids, limit: ids.count))
            retrying(snapshots.count(where: \.isBackingOff))
            for snapshot in snapshots {
                looked(snapshot)
                let isHeld = snapshot.waiting == .held
                guard isHeld || isLeft(snapshot.providerID) else { continue }
                for waiter in waiters(for: snapshot.id) { waiter.yield(isHeld ? .held : .left) }
            }
        } catch {
            // Whoever waits learns it: a store that cannot be read announces nothing.
            for id in ids { for waiter in waiters(for: id) { waiter.finish(throwing: error) } }
        }
    }

    private func waiters(for id: UUID) -> [AsyncThrowingStream<Ending, any Error>.Continuation] {
        state.withLock { $0.waiting[id].map { Array($0.values) } ?? [] }
    }
}

extension RequestSnapshot {
    fileprivate var isBackingOff: Bool {
        if case .backingOff = waiting { true } else { false }
    }
}
