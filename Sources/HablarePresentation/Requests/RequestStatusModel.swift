public import Foundation
public import Hablare
public import Observation

/// An observable model of one request for a view. It has the request's state and can retry or cancel the request. The
/// state is kept up to date while the request is watched.
///
/// ```swift
/// struct RequestView: View {
///     let model: RequestStatusModel
///     var body: some View {
///         RequestStateView(state: model.state, retry: model.retry, cancel: model.cancel)
///             .task { await model.watch() }
///     }
/// }
/// ```
///
/// Nothing is read or decoded on the main actor. If several updates arrive while the main actor is busy, the view gets
/// one change.
///
/// A watch ends in these cases:
///
/// - The request is final.
/// - The task that watches is cancelled, or ``stop()`` is called.
/// - The model is released.
/// - The engine shuts down or is suspended. The request is then on disk, and the state shows that the request waits for
///   the engine. You can watch the request again.
@Observable @MainActor
public final class RequestStatusModel {
    /// The request's UUID.
    public let id: UUID
    /// The state to show.
    public private(set) var state = RequestViewState.idle
    /// The reason why a watch, a retry or a cancellation failed, for users; `nil` if there is no problem. A failure of
    /// the request itself is in ``state``.
    public private(set) var problem: String?
    /// Whether the request is being watched.
    public private(set) var isWatching = false

    @ObservationIgnored private let manager: AIRequestManager
    @ObservationIgnored private let options: RequestWatchOptions
    @ObservationIgnored private let spawner: TaskSpawner
    @ObservationIgnored private let feed = StateFeed<RequestViewState>()
    /// The number of the current watch. The model ignores states of older watches.
    @ObservationIgnored private var generation = 0
    @ObservationIgnored private var watching: Task<Void, Never>?
    @ObservationIgnored private var commands: [Int: Task<Void, Never>] = [:]
    @ObservationIgnored private var lastCommand = 0

    /// Creates a model of a request. The request is not watched yet.
    ///
    /// - Parameters:
    ///   - id: The request's id.
    ///   - manager: The manager of the request.
    ///   - options: The options of the watch.
    ///   - taskExecutor: The executor that watches the request. Default: the global executor.
    public init(
        _ id: UUID, manager: AIRequestManager, options: RequestWatchOptions = RequestWatchOptions(),
        taskExecutor: (any TaskExecutor)? = nil
    ) {
        self.id = id
        self.manager = manager
        self.options = options
        spawner = TaskSpawner(executor: taskExecutor)
    }

    deinit {
        watching?.cancel()
    }

    /// Returns a sequence of the states, for code that does not use observation. The first element is the current
    /// state. After that, each read returns the newest state.
    ///
    /// The sequence ends when the model is released or the reading task is cancelled. It does not end at a final state,
    /// because a retry may follow, and does not end with a watch, because another watch may begin. After
    /// ``RequestViewState/done(_:)``, no state follows unless the request is watched again.
    public func states() -> AsyncStream<RequestViewState> { feed.states(from: state) }

    /// Watches the request until it is final or the calling task is cancelled. Call this method in SwiftUI's `.task {
    /// }`. If an earlier watch is still running, this watch replaces it. If the watch fails, the reason is in
    /// ``problem``.
    public func watch() async {
        let (watch, generation) = begin()
        await ended(generation, Self.run(watch) { [weak self] in self?.show($0, generation) })
    }

    /// Starts to watch the request until it is final or ``stop()`` is called. Does not keep the model alive. Has no
    /// effect if the request is already being watched.
    public func start() {
        if !isWatching { restart() }
    }

    private func restart() {
        let (watch, generation) = begin()
        watching = spawner.start { [weak self] in
            let error = await Self.run(watch) { [weak self] in self?.show($0, generation) }
            await self?.ended(generation, error)
        }
    }

    /// Ends a watch that ``start()`` or ``retry()`` began. The state does not change.
    public func stop() {
        guard let watching else { return }
        watching.cancel()
        self.watching = nil
        generation += 1
        isWatching = false
    }

    /// Retries the request, and watches it like ``start()``. Returns at once. If the retry fails, the reason is in
    /// ``problem``.
    ///
    /// If the request is held (its last outcome is unknown) or waits before a retry, it is tried now. If the current
    /// watch has already seen the end of the request, a new watch begins.
    ///
    /// Offer a retry only if ``RequestViewState/canRetry`` is `true`. This method does not check `canRetry`, because
    /// the state may be outdated. If the request failed permanently, it is tried again and will probably fail again. If
    /// the request is running or completed, nothing changes, and ``problem`` reports this.
    public func retry() {
        perform({ [manager, id] in try await manager.retry(id) }, then: { $0.wasRetried() })
    }

    /// Cancels the request. Returns at once. If the cancellation fails, the reason is in ``problem``. Has no effect if
    /// the request is final.
    public func cancel() {
        perform({ [manager, id] in try await manager.cancelRequest(id) }, then: { _ in })
    }

    /// Waits until all calls of ``retry()`` and ``cancel()`` are done, and until the watch that ``start()`` or
    /// ``retry()`` began has ended.
    public func settled() async {
        while let task = commands.values.first ?? watching {
            await task.value
        }
    }

    // MARK: Watching

    private func begin() -> (RequestWatch, generation: Int) {
        generation += 1
        watching?.cancel()
        watching = nil
        isWatching = true
        problem = nil
        return (RequestWatch(id: id, manager: manager, options: options), generation)
    }

    private nonisolated static func run(
        _ watch: RequestWatch, _ show: @escaping @MainActor @Sendable (RequestViewState) -> Void
    ) async -> (any Error)? {
        do {
            try await watch.run(show)
            return nil
        } catch {
            return error
        }
    }

    private func show(_ state: RequestViewState, _ generation: Int) {
        guard generation == self.generation, state != self.state else { return }
        self.state = state
        feed.publish(state)
    }

    private func ended(_ generation: Int, _ error: (any Error)?) {
        guard generation == self.generation else { return }
        isWatching = false
        watching = nil
        if let error, !(error is CancellationError) { problem = ErrorMessage.standard(for: error) }
    }

    private func wasRetried() {
        // A watch that has shown the end is about to finish, and may not look again.
        if state.isFinal { restart() } else { start() }
    }

    // MARK: Commands

    /// Runs a command, which is a single write to the store. The command completes even if the model is released.
    private func perform(
        _ command: @escaping @Sendable @concurrent () async throws -> Void,
        then next: @escaping @MainActor @Sendable (RequestStatusModel) -> Void
    ) {
        lastCommand += 1
        let number = lastCommand
        problem = nil
        commands[number] = spawner.start { [weak self] in
            do {
                try await command()
                await self?.did(number, next)
            } catch {
                await self?.did(number) { $0.problem = ErrorMessage.standard(for: error) }
            }
        }
    }

    private func did(_ number: Int, _ next: @MainActor (RequestStatusModel) -> Void) {
        commands[number] = nil
        next(self)
    }
}
