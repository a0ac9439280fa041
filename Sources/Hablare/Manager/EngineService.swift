import Foundation
import HablareSupport
import Logging
public import ServiceLifecycle

/// A service that runs an engine. It executes submitted requests, recovers the requests of dead processes, and shuts
/// down gracefully.
///
/// Add it to a `ServiceGroup`, or use ``run(_:while:)``. While the service runs, it executes every stored request
/// within the claim scope (``EngineConfiguration/scope``) until the request is final. On graceful shutdown it starts no
/// new attempts. Attempts in flight may continue for ``EngineConfiguration/shutdownGrace``. The service then stops
/// them, and their requests wait in the store. If the service's task is cancelled, it stops the attempts at once.
///
/// Between ``AIRequestManager/suspend(for:grace:)`` and ``AIRequestManager/resume(from:)`` the service keeps running,
/// but its engine is suspended. You may also start a service while the manager is suspended. A manager can run one
/// engine at a time.
public struct EngineService: Service {
    private let manager: AIRequestManager

    /// Creates the service of a manager.
    public init(_ manager: AIRequestManager) {
        self.manager = manager
    }

    /// Runs until graceful shutdown or cancellation.
    ///
    /// - Throws: ``AIServiceError``: `invalidConfiguration`; `invalidState` if this manager already runs an engine,
    ///   which then continues; or an error of category storage if the store cannot be used at all.
    public func run() async throws {
        try await run(untilShutdown: Self.shutdownOrCancellation)
    }

    /// Runs an engine while `body` runs, and then shuts the engine down gracefully.
    ///
    /// `body` runs on no actor. If it uses a model of the main actor, begin it with `@MainActor in`; see
    /// <doc:PreviewsAndTests>. Cancelling the calling task cancels `body`. If attempts are still in flight when `body`
    /// returns, the engine gives them ``EngineConfiguration/shutdownGrace``, then stops them, and their requests wait
    /// in the store.
    ///
    /// - Returns: The value that `body` returns.
    /// - Throws: The error that `body` throws. If the engine cannot start, ``AIServiceError``: `invalidConfiguration`,
    ///   `invalidState` if this manager already runs an engine, or an error of category storage. `CancellationError` if
    ///   the task is cancelled before the engine has started.
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
                suspend()
            } else {
                suspend()
                whenStarted()
            }
            while await engine.untilToWork() {
                if let registration = await housekeeper.registerAgain() {
                    await work(as: registration, with: housekeeper)
                }
                suspend()
            }
        }
        engine.apply { $0.engineEnded() }
    }

    private func begin(with housekeeper: Housekeeper) async throws -> Housekeeper.Registration? {
        guard let (isToWork, before) = manager.engine.apply({ $0.engineStarted() }) else {
            throw AIServiceError(
                .invalidState,
                "An engine already runs on this manager. Use the running engine, or start another engine after it has ended."
            )
        }
        guard isToWork else { return nil }
        do {
            return try await housekeeper.register()
        } catch {
            manager.engine.apply { $0.suspensions.engineFailed(before: before) }
            throw error
        }
    }

    /// Executes requests until the engine is to be suspended or shut down. Then returns all leased requests to the
    /// store.
    private func work(
        as registered: Housekeeper.Registration, with housekeeper: Housekeeper, whenOpen: @Sendable () -> Void = {}
    ) async {
        let registration = Locked(registered)
        manager.engine.apply { $0.revive() }
        // Requests whose deadline passed while no engine ran end before this one starts any.
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
        let isSuspending = manager.engine.read { $0.suspensions.order } != .end
        // A suspension has granted its own grace period already.
        let grace = isSuspending || Task.isCancelled ? .zero : manager.configuration.shutdownGrace
        await manager.engine.drain(grace: grace)
        await housekeeper.deregister(registration.withLock { $0 })
    }

    private func suspend() {
        manager.engine.apply { $0.engineSuspended() }
    }

    private static func shutdownOrCancellation() async {
        do {
            try await gracefulShutdown()
        } catch {
            // Cancelled: `run` sees it and gives no grace period.
        }
    }
}
