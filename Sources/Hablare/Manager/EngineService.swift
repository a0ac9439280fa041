import Foundation
import Logging
public import ServiceLifecycle

/// Runs an engine: executes what was submitted, recovers what a dead process left, ends in good order.
///
/// Add it to a `ServiceGroup`, or use ``run(_:while:)``. While it runs, whatever was acknowledged within the claim
/// scope is run to an end. On graceful shutdown nothing new is started, attempts under way get
/// ``EngineConfiguration/shutdownGrace`` to end, then are stopped and wait in the store; on cancellation they are
/// stopped at once. Between ``AIRequestManager/suspend(for:grace:)`` and ``AIRequestManager/resume(from:)`` it runs on
/// and rests; it may also be started then. A manager has one engine at a time.
public struct EngineService: Service {
    private let manager: AIRequestManager

    /// Creates the service of a manager.
    public init(_ manager: AIRequestManager) {
        self.manager = manager
    }

    /// Runs until graceful shutdown or cancellation.
    ///
    /// - Throws: ``AIServiceError``: `invalidConfiguration`; `invalidState` when an engine runs on this manager
    ///   already, which is not disturbed; or of category storage when the store cannot be worked on at all.
    public func run() async throws {
        try await run(untilShutdown: Self.shutdownOrCancellation)
    }

    /// Runs an engine for as long as a piece of code needs it, then shuts it down gracefully.
    ///
    /// `body` runs on no actor: where it uses a model of the main actor, begin it with `@MainActor in`, see
    /// <doc:PreviewsAndTests>. Cancelling the calling task cancels `body`; what it leaves under way is stopped and waits in the store.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; or, when the engine cannot start, ``AIServiceError``: `invalidConfiguration`,
    ///   `invalidState` when one runs on this manager already, or of category storage. `CancellationError` when the
    ///   task is cancelled before it has.
    public static func run<R: Sendable>(
        _ manager: AIRequestManager, while body: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        let bodyEnded = AsyncStream.makeStream(of: Void.self)
        let started = AsyncStream.makeStream(of: Void.self)
        return try await withThrowingTaskGroup(of: R?.self) { group in
            group.addTask(executorPreference: manager.seams.taskExecutor) {
                try await EngineService(manager).run(whenStarted: { started.continuation.yield() }) {
                    for await _ in bodyEnded.stream {}
                }
                return nil
            }
            group.addTask(executorPreference: manager.seams.taskExecutor) {
                var starts = started.stream.makeAsyncIterator()
                guard await starts.next() != nil else { throw CancellationError() }
                defer { bodyEnded.continuation.finish() }
                return try await body()
            }
            var outcome: Result<R, any Error>?
            while let result = await group.nextResult() {
                switch result {
                case .success(let value?): outcome = .success(value)
                case .success(nil): break
                case .failure(let error):
                    if outcome == nil { outcome = .failure(error) }
                    started.continuation.finish()
                    bodyEnded.continuation.finish()
                }
            }
            return try (outcome ?? .failure(CancellationError())).get()
        }
    }

    private func run(
        whenStarted: @Sendable () -> Void = {}, untilShutdown: @escaping @Sendable () async -> Void
    ) async throws {
        try manager.configuration.check(with: manager.registry)
        let housekeeper = Housekeeper(manager)
        let engine = manager.engine
        let registration = try await begin(with: housekeeper)
        await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: manager.seams.taskExecutor) {
                await untilShutdown()
                engine.apply { $0.suspensions.endOrdered() }
            }
            if let registration {
                await work(as: registration, with: housekeeper, whenOpen: whenStarted)
                rest()
            } else {
                rest()
                whenStarted()
            }
            while await engine.untilToWork() {
                if let registration = await housekeeper.registerAgain() {
                    await work(as: registration, with: housekeeper)
                }
                rest()
            }
        }
        engine.apply { $0.engineEnded() }
    }

    private func begin(with housekeeper: Housekeeper) async throws -> Housekeeper.Registration? {
        guard let (isToWork, before) = manager.engine.apply({ $0.engineStarted() }) else {
            throw AIServiceError(
                .invalidState,
                "An engine runs on this manager already. Submit to that one, or start another when it has ended.")
        }
        guard isToWork else { return nil }
        do {
            return try await housekeeper.register()
        } catch {
            manager.engine.apply { $0.suspensions.engineFailed(before: before) }
            throw error
        }
    }

    /// Works until the engine is to rest or to shut down, and gives back everything then.
    private func work(
        as registered: Housekeeper.Registration, with housekeeper: Housekeeper, whenOpen: @Sendable () -> Void = {}
    ) async {
        let registration = Guarded(registered)
        manager.engine.apply { $0.revive() }
        // Requests that ran out of time while no engine ran end before this one starts anything.
        await housekeeper.sweep()
        await housekeeper.recallPauses()
        manager.engine.apply { $0.opened(as: registered.owner) }
        manager.answers.attended(true)
        whenOpen()
        await withTaskGroup(of: Void.self) { group in
            let executor = manager.seams.taskExecutor
            group.addTask(executorPreference: executor) { await housekeeper.keepHouse(registration) }
            group.addTask(executorPreference: executor) { await housekeeper.keepWithinLimits() }
            await manager.engine.untilClosed()
            group.cancelAll()
        }
        manager.answers.attended(false)
        let isToRest = manager.engine.read { $0.suspensions.order } != .end
        // Whoever rests had its grace already.
        let grace = isToRest || Task.isCancelled ? .zero : manager.configuration.shutdownGrace
        await manager.engine.drain(grace: grace)
        await housekeeper.deregister(registration.withLock { $0 })
    }

    private func rest() {
        manager.engine.apply { $0.engineRested() }
    }

    private static func shutdownOrCancellation() async {
        do {
            try await gracefulShutdown()
        } catch {
            // Cancelled: `run` sees it and gives no grace.
        }
    }
}
