public import Foundation
public import Hablare
public import Observation

/// A request for a view: what to look at, kept up to date while it is watched, and what can be done about it.
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
/// Nothing is read or decoded on the main actor, and while it is busy what comes is one change. Watching ends with the request,
/// with the task that watches or ``stop()``, with the model, and when the engine shuts down or rests: the request is on disk then,
/// and the state says that it waits for that. It may be watched anew.
@Observable @MainActor
public final class RequestStatusModel {
    /// The request's UUID.
    public let id: UUID
    /// What there is to look at.
    public private(set) var state = RequestViewState.idle
    /// Why the request could not be watched, or what was asked for not be done, in words for people; `nil` where all is well.
    /// Says nothing of the request itself.
    public private(set) var problem: String?
    /// Whether it is being watched.
    public private(set) var isWatching = false

    @ObservationIgnored private let manager: AIRequestManager
    @ObservationIgnored private let options: RequestWatchOptions
    @ObservationIgnored private let spawner: TaskSpawner
    @ObservationIgnored private let feed = StateFeed<RequestViewState>()
    /// The watch that counts, by number: what an older one has to show is not shown.
    @ObservationIgnored private var turn = 0
    @ObservationIgnored private var watching: Task<Void, Never>?
    @ObservationIgnored private var commands: [Int: Task<Void, Never>] = [:]
    @ObservationIgnored private var lastCommand = 0

    /// Creates the model of a request, which is not watched yet.
    ///
    /// - Parameters:
    ///   - id: The request.
    ///   - manager: Who knows it.
    ///   - options: How it is watched.
    ///   - taskExecutor: Where it is watched from. Default: the global executor.
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

    /// The state from now on: the present one first, then the newest, as fast as they are taken.
    ///
    /// Ends when the model is released, or the reading task cancelled; not with a final state, which a retry may follow, nor with
    /// the watch, which may begin anew. After ``RequestViewState/done(_:)`` nothing comes, unless it is watched anew.
    public func states() -> AsyncStream<RequestViewState> { feed.states(from: state) }

    /// Watches the request, until it is final or the calling task is cancelled: for `.task { }` in SwiftUI. Whoever watched before
    /// shows nothing any more. What goes wrong is in ``problem``.
    public func watch() async {
        let (watch, turn) = begin()
        await ended(turn, Self.run(watch) { [weak self] in self?.show($0, turn) })
    }

    /// Watches the request until it is final, or ``stop()``; the model does not live longer for it. Does nothing where it is being
    /// watched already.
    public func start() {
        if !isWatching { startAnew() }
    }

    private func startAnew() {
        let (watch, turn) = begin()
        watching = spawner.start { [weak self] in
            let error = await Self.run(watch) { [weak self] in self?.show($0, turn) }
            await self?.ended(turn, error)
        }
    }

    /// Ends what ``start()`` or ``retry()`` began. The state stays as it was shown last.
    public func stop() {
        guard let watching else { return }
        watching.cancel()
        self.watching = nil
        turn += 1
        isWatching = false
    }

    /// Retries the request, or tries now what is held or backs off, and watches it as ``start()`` does: anew, where who watches
    /// it had seen the end. Returns at once; what goes wrong is in ``problem``.
    ///
    /// ``RequestViewState/canRetry`` says where it can help: hide the button elsewhere. It is asked for all the same where that is
    /// `false`, because the state may be an old one: what failed for good is tried again, and likely fails again; what is with its
    /// provider or completed stays as it is, and ``problem`` says so.
    public func retry() {
        perform({ [manager, id] in try await manager.retry(id) }, then: { $0.wasRetried() })
    }

    /// Cancels the request. Returns at once; what goes wrong is in ``problem``. Nothing happens where the request is final.
    public func cancel() {
        perform({ [manager, id] in try await manager.cancelRequest(id) }, then: { _ in })
    }

    /// Waits until what was asked for with ``retry()`` and ``cancel()`` is done, and what ``start()`` or ``retry()``
    /// began to watch has ended.
    public func settled() async {
        while let task = commands.values.first ?? watching {
            await task.value
        }
    }

    // MARK: Watching

    private func begin() -> (RequestWatch, turn: Int) {
        turn += 1
        watching?.cancel()
        watching = nil
        isWatching = true
        problem = nil
        return (RequestWatch(id: id, manager: manager, options: options), turn)
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

    private func show(_ state: RequestViewState, _ turn: Int) {
        guard turn == self.turn, state != self.state else { return }
        self.state = state
        feed.tell(state)
    }

    private func ended(_ turn: Int, _ error: (any Error)?) {
        guard turn == self.turn else { return }
        isWatching = false
        watching = nil
        if let error, !(error is CancellationError) { problem = ErrorMessage.standard(for: error) }
    }

    private func wasRetried() {
        // Who has shown the end is about to go, and may not look again.
        if state.isFinal { startAnew() } else { start() }
    }

    // MARK: Doing

    /// Does something that is to be done also where the model is released meanwhile: it is one write.
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
