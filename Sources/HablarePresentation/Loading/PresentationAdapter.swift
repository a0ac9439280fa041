import Hablare

/// An adapter that loads a resource off the main actor. It reports the progress to a presenter on the main actor.
///
/// Guarantees, for every ``LoadPolicy``:
/// - The presenter never receives a resource or an error of a load that was cancelled or replaced by a newer load.
/// - After the last load has ended or was cancelled, the presenter has received the message that nothing is loading.
/// - After a cancellation, a new load begins at once, even if the cancelled load is still running. This is also true if
///   a view requests the cancellation and the new load while the presenter is receiving a message.
/// - Releasing the adapter cancels its loads. The presenter then receives no message from them.
///
/// `LoadContract` in `HablarePresentationTestKit` checks these guarantees.
@MainActor
public final class PresentationAdapter<Resource: Sendable> {
    /// A function that loads a resource.
    public typealias Load = @Sendable @concurrent () async throws -> Resource

    /// A request that arrived while the presenter was receiving a message.
    private enum PendingCommand {
        case load(Load)
        case cancel
        case cancelThenLoad(Load)

        /// Returns the requests that remain to be handled if a load is requested after this request. Only the last
        /// requested load is started. If a cancellation was requested before that load, the cancellation also remains.
        /// Otherwise the current load would continue, and the policy might ignore the new load.
        func followed(by load: @escaping Load) -> PendingCommand {
            switch self {
            case .load: .load(load)
            case .cancel, .cancelThenLoad: .cancelThenLoad(load)
            }
        }
    }

    private let presenter: any ResourcePresenting<Resource>
    private let loadResource: Load
    private let spawner: TaskSpawner
    private var arbiter: LatestLoadArbiter
    /// The running loads, including those that were cancelled or superseded.
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var isPresenting = false
    private var pendingCommand: PendingCommand?

    /// Creates an adapter. The adapter keeps its presenter alive.
    ///
    /// - Parameters:
    ///   - presenter: The presenter that receives the progress of loads.
    ///   - policy: The action if a load is requested while another load is in progress.
    ///   - taskExecutor: The executor that runs loads. Default: the global executor.
    ///   - load: A function that loads the resource, off the main actor. It is cancelled with its task.
    public init(
        presenter: any ResourcePresenting<Resource>, policy: LoadPolicy, taskExecutor: (any TaskExecutor)? = nil,
        load: @escaping Load
    ) {
        self.presenter = presenter
        self.loadResource = load
        arbiter = LatestLoadArbiter(policy)
        spawner = TaskSpawner(executor: taskExecutor)
    }

    deinit {
        for task in tasks.values { task.cancel() }
    }

    /// Whether there is a current load.
    public var isLoading: Bool { arbiter.current != nil }

    /// Starts to load the resource, and returns at once. If a load is in progress, the policy decides: the new load is
    /// ignored, or replaces the current load.
    public func load() {
        load(loadResource)
    }

    /// Starts to load a resource with another function, such as the next page of a ``PaginatedResource``. Returns at
    /// once. If a load is in progress, the policy decides: the new load is ignored, or replaces the current load.
    ///
    /// - Parameter load: A function that loads the resource, off the main actor. It is cancelled with its task.
    public func load(_ load: @escaping Load) {
        guard !isPresenting else { return pendingCommand = pendingCommand?.followed(by: load) ?? .load(load) }
        guard case .start(let number, let superseded) = arbiter.loadWasWanted() else { return }
        if let superseded { tasks[superseded]?.cancel() }
        tasks[number] = spawner.start { [weak self] in
            let result: Result<Resource, any Error>
            do { result = .success(try await load()) } catch { result = .failure(error) }
            await self?.ended(number, with: result)
        }
        present { $0.didStartLoading() }
    }

    /// Cancels the current load, and informs the presenter at once that nothing is loading. The presenter receives no
    /// result of the load. Has no effect if nothing is loading.
    public func cancel() {
        guard !isPresenting else { return pendingCommand = .cancel }
        guard let number = arbiter.loadWasCancelled() else { return }
        tasks[number]?.cancel()
        present { $0.didCancelLoading() }
    }

    /// Waits until every load has ended, including cancelled and replaced loads. If a load ignores its cancellation,
    /// the method waits until that load ends. Cancelling the calling task does not end the wait.
    public func settled() async {
        while let task = tasks.values.first {
            await task.value
        }
    }

    private func ended(_ number: Int, with result: Result<Resource, any Error>) {
        tasks[number] = nil
        guard arbiter.loadEnded(number) else { return }
        present { presenter in
            switch result {
            case .success(let resource): presenter.didFinishLoading(with: resource)
            case .failure(is CancellationError): presenter.didCancelLoading()
            case .failure(let error): presenter.didFailLoading(with: error)
            }
        }
    }

    /// Sends the presenter a message to its end. If a view requests a load or a cancellation during the message, the
    /// request is handled after the message. Otherwise the old load's "not loading" would arrive after the new load's
    /// "loading".
    private func present(_ message: (any ResourcePresenting<Resource>) -> Void) {
        isPresenting = true
        message(presenter)
        isPresenting = false
        runPendingCommand()
    }

    private func runPendingCommand() {
        let granted = pendingCommand
        pendingCommand = nil
        switch granted {
        case .load(let load): self.load(load)
        case .cancel: cancel()
        case .cancelThenLoad(let load):
            // The receiver of the cancellation may make another request, which then takes precedence.
            pendingCommand = .load(load)
            cancel()
            runPendingCommand()
        case nil: break
        }
    }
}
