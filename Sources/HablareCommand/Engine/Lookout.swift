import Foundation
import Hablare
import HablareSupport

/// A waiter for requests that also notices standstills: a request is held, or waits for an account that is suspended.
///
/// The waiter reads the requests from the store when a wait begins, and again after each event that may change what a
/// request waits for.
final class Lookout: Sendable {
    enum Ending: Sendable {
        case final(RequestStatus)
        /// The request is held until a person retries or cancels it.
        case held
        /// The request waits for a provider whose account is suspended in this process.
        case left
    }

    private typealias Waiter = AsyncThrowingStream<Ending, any Error>.Continuation

    private struct State: Sendable {
        var waiting: [UUID: [Int: Waiter]] = [:]
        var last = 0
        var backingOff: Set<UUID> = []
    }

    private let manager: AIRequestManager
    private let news: Broadcast<Void>
    private let retrying: @Sendable (Int) -> Void
    private let looked: @Sendable (RequestSnapshot) -> Void
    private let state = Locked(State())

    /// - Parameter news: The signals after which the requests are read again. See ``EngineEvent/mayChangeWaits``.
    init(
        manager: AIRequestManager, news: Broadcast<Void>, retrying: @escaping @Sendable (Int) -> Void,
        looked: @escaping @Sendable (RequestSnapshot) -> Void
    ) {
        self.manager = manager
        self.news = news
        self.retrying = retrying
        self.looked = looked
    }

    /// Waits until a request is final, is held, or waits for a suspended account. ``run()`` must run concurrently.
    func ending(of id: UUID) async throws -> Ending {
        // Subscribe before the first read: from now on the engine reports the request's changes, by whichever process.
        let statuses = try await manager.statusUpdates(for: id)
        return try await firstValue(of: [
            {
                for try await status in statuses where status.isFinal { return .final(status) }
                throw CancellationError()
            },
            { try await self.standstill(of: id) },
        ])
    }

    /// Waits until a request is held or waits for a suspended account. The request need not be in the store yet.
    /// ``run()`` must run concurrently.
    func standstill(of id: UUID) async throws -> Ending {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Ending.self, throwing: (any Error).self)
        let number = state.withLock { state in
            state.last += 1
            state.waiting[id, default: [:]][state.last] = continuation
            return state.last
        }
        defer {
            let backedOff = state.withLock { state in
                state.waiting[id]?[number] = nil
                guard state.waiting[id]?.isEmpty == true else { return false }
                state.waiting[id] = nil
                return state.backingOff.contains(id)
            }
            if backedOff { news.publish(()) }
        }
        // The request may have been held before the wait began.
        news.publish(())
        for try await ending in stream { return ending }
        throw CancellationError()
    }

    func run() async {
        let news = news.elements()
        await look()
        for await _ in news { await look() }
    }

    private func look() async {
        let ids = state.withLock { Array($0.waiting.keys) }
        do {
            let filter = SnapshotFilter(phases: [.pending], ids: ids, limit: ids.count)
            let snapshots = ids.isEmpty ? [] : try await manager.snapshots(filter)
            let backingOff = Set(snapshots.filter(\.isBackingOff).map(\.id))
            state.withLock { $0.backingOff = backingOff.intersection($0.waiting.keys) }
            retrying(backingOff.count)
            for snapshot in snapshots {
                looked(snapshot)
                let isHeld = snapshot.waiting == .held
                guard isHeld || manager.isSuspended(snapshot.providerID) else { continue }
                for waiter in waiters(for: snapshot.id) { waiter.yield(isHeld ? .held : .left) }
            }
        } catch {
            // A store that cannot be read announces nothing, so every wait fails.
            for id in ids { for waiter in waiters(for: id) { waiter.finish(throwing: error) } }
        }
    }

    private func waiters(for id: UUID) -> [Waiter] {
        state.withLock { $0.waiting[id].map { Array($0.values) } ?? [] }
    }
}

extension RequestSnapshot {
    fileprivate var isBackingOff: Bool {
        if case .backingOff = waiting { true } else { false }
    }
}

extension EngineEvent {
    /// Whether this event may change the reason why an unfinished request waits, or may end its wait.
    var mayChangeWaits: Bool {
        switch self {
        case .submitted, .waiting, .retried, .diverted, .held, .interrupted, .suspended, .recovered: true
        case .started(_, _, _, let attempt): attempt > 1
        case .moved(_, let flight):
            switch flight.state {
            case .waiting, .backingOff, .held: true
            case .leased, .executing: flight.attempt > 1
            case .settled: false
            }
        default: false
        }
    }
}
