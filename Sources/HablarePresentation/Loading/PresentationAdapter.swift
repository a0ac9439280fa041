import Hablare

/// Loads a resource off the main actor, and tells a presenter on it what becomes of that.
///
/// What it promises, whatever its ``LoadPolicy``:
/// - A load that was cancelled, or superseded by a newer one, delivers neither its resource nor its error, however late they
///   come.
/// - Once nothing is being loaded any more, the presenter was told so, also after a cancellation.
/// - After a cancellation it loads again at once, also while the load that was cancelled has not come back yet, and also where
///   both were asked for by a view that was just being told something.
/// - Its loads end with it: when it is released they are cancelled, and deliver nothing.
///
/// `LoadContract` in `HablareTestKit` has these as rules.
@MainActor
public final class PresentationAdapter<Resource: Sendable> {
    /// What loads a resource.
    public typealias Load = @Sendable @concurrent () async throws -> Resource

    /// What was asked for while the presenter was being told of something else.
    private enum Wish {
        case load(Load)
        case cancel
        case cancelThenLoad(Load)

        /// What is to be done where a load is wanted behind this. The last load counts; a cancellation before it does, too: else
        /// the load that is under way would go on in its place.
        func followed(by load: @escaping Load) -> Wish {
            switch self {
            case .load: .load(load)
            case .cancel, .cancelThenLoad: .cancelThenLoad(load)
            }
        }
    }

    private let presenter: any ResourcePresenting<Resource>
    private let loadResource: Load
    private let spawner: TaskSpawner
    private var turns: LoadTurns
    /// The loads that have not come back yet, also those that do not count any more.
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var isTelling = false
    private var wish: Wish?

    /// Creates an adapter, which holds its presenter.
    ///
    /// - Parameters:
    ///   - presenter: Is told what becomes of loads.
    ///   - policy: What becomes of a wish to load while a load is under way.
    ///   - taskExecutor: Where loads run. Default: the global executor.
    ///   - load: Loads the resource, off the main actor. Is cancelled with its task.
    public init(
        presenter: any ResourcePresenting<Resource>, policy: LoadPolicy, taskExecutor: (any TaskExecutor)? = nil,
        load: @escaping Load
    ) {
        self.presenter = presenter
        self.loadResource = load
        turns = LoadTurns(policy)
        spawner = TaskSpawner(executor: taskExecutor)
    }

    deinit {
        for task in tasks.values { task.cancel() }
    }

    /// Whether a load is under way that counts.
    public var isLoading: Bool { turns.current != nil }

    /// Loads the resource, or not, by the policy. Returns at once.
    public func load() {
        load(loadResource)
    }

    /// Loads a resource in another way, as the next page of a ``PaginatedResource``, or not, by the policy. Returns at once.
    ///
    /// - Parameter load: Loads the resource, off the main actor. Is cancelled with its task.
    public func load(_ load: @escaping Load) {
        guard !isTelling else { return wish = wish?.followed(by: load) ?? .load(load) }
        guard case .start(let turn, let superseded) = turns.loadWasWanted() else { return }
        if let superseded { tasks[superseded]?.cancel() }
        tasks[turn] = spawner.start { [weak self] in
            let result: Result<Resource, any Error>
            do { result = .success(try await load()) } catch { result = .failure(error) }
            await self?.ended(turn, with: result)
        }
        tell { $0.didStartLoading() }
    }

    /// Stops what is being loaded. Delivers nothing of it, and tells the presenter at once that nothing is being loaded.
    /// Harmless where nothing is.
    public func cancel() {
        guard !isTelling else { return wish = .cancel }
        guard let turn = turns.loadWasCancelled() else { return }
        tasks[turn]?.cancel()
        tell { $0.didCancelLoading() }
    }

    /// Waits until every load has come back, those that were cancelled or superseded among them. Cancelling the
    /// calling task does not end the wait: what was cancelled comes back soon, and a load that does not listen is worth
    /// waiting for.
    public func settled() async {
        while let task = tasks.values.first {
            await task.value
        }
    }

    private func ended(_ turn: Int, with result: Result<Resource, any Error>) {
        tasks[turn] = nil
        guard turns.loadEnded(turn) else { return }
        tell { presenter in
            switch result {
            case .success(let resource): presenter.didFinishLoading(with: resource)
            case .failure(is CancellationError): presenter.didCancelLoading()
            case .failure(let error): presenter.didFailLoading(with: error)
            }
        }
    }

    /// Tells the presenter something to the end. A view that answers what it is shown with a new wish has it granted
    /// afterwards: in the middle, the "not loading" of the old load would come behind the "loading" of the new one.
    private func tell(_ message: (any ResourcePresenting<Resource>) -> Void) {
        isTelling = true
        message(presenter)
        isTelling = false
        grantWish()
    }

    private func grantWish() {
        let granted = wish
        wish = nil
        switch granted {
        case .load(let load): self.load(load)
        case .cancel: cancel()
        case .cancelThenLoad(let load):
            // Whoever is told of the cancellation may wish for something else: then that counts.
            wish = .load(load)
            cancel()
            grantWish()
        case nil: break
        }
    }
}
