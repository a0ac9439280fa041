import HablarePresentation
import Observation
import Synchronization

/// Reports the state of an observable model, and reports it again after each change of what the state read. Each change
/// is read and encoded once, whether the follower or a command asks for it first.
///
/// `Observations` would follow the model too, but crashes here in Swift 6.3 when its task resumes.
@MainActor
final class ObservedFeed<State: WebState> {
    private let state: @MainActor @Sendable () -> State
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    /// Whether the state has changed since it was read. Changes are announced from outside the main actor.
    private nonisolated let isStale = Mutex(true)
    private var (read, reported, encoding) = (0, 0, 0)
    private var waiters: [CheckedContinuation<Void, Never>] = []

    nonisolated init(_ state: @escaping @MainActor @Sendable () -> State) {
        self.state = state
        (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Reports each change until the task is cancelled. Call it once.
    func follow(_ report: @escaping StateStream.Report) async {
        var next = changes.makeAsyncIterator()
        repeat {
            await update(report)
        } while await next.next(isolation: #isolation) != nil
    }

    /// Returns when the present state is reported.
    func update(_ report: @escaping StateStream.Report) async {
        let isNew = isStale.withLock { isStale in
            defer { isStale = false }
            return isStale
        }
        guard isNew else {
            if encoding > 0 { await withCheckedContinuation { waiters.append($0) } }
            return
        }
        // `onChange` is called before a change. The next turn of the main actor sees its result.
        let present = withObservationTracking {
            state()
        } onChange: { [weak self] in
            self?.noteChange()
        }
        read += 1
        encoding += 1
        let number = read
        let result = await present.result()
        // A newer state may have been encoded sooner.
        if number > reported {
            reported = number
            report(result)
        }
        encoding -= 1
        guard encoding == 0 else { return }
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    private nonisolated func noteChange() {
        isStale.withLock { $0 = true }
        change.yield()
    }
}
