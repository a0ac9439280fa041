import HablarePresentation
import Observation
import Synchronization

/// Reports the state of an observable model, and calls `changed` after a change of what the state read. Each change is
/// read and encoded once, however many callers ask for the state.
///
/// `Observations` would follow the model too, but crashes here in Swift 6.3 when its task resumes.
@MainActor
final class ObservedFeed<State: WebState> {
    private let state: @MainActor @Sendable () -> State
    private let changed: @Sendable () -> Void
    /// Whether the state has changed since it was read, which is announced from outside the main actor, and the number
    /// of states that are being encoded.
    private nonisolated let progress = Mutex((isStale: true, encoding: 0))
    private var (read, reported) = (0, 0)
    private var waiters: [CheckedContinuation<Void, Never>] = []

    nonisolated init(_ state: @escaping @MainActor @Sendable () -> State, changed: @escaping @Sendable () -> Void) {
        self.state = state
        self.changed = changed
    }

    /// Returns when the present state is reported.
    nonisolated func update(_ report: @escaping StateStream.Report) async {
        guard progress.withLock({ $0.isStale || $0.encoding > 0 }) else { return }
        await readAgain(report)
    }

    private func readAgain(_ report: @escaping StateStream.Report) async {
        let (isNew, encoding) = progress.withLock { progress in
            defer { if progress.isStale { progress = (false, progress.encoding + 1) } }
            return (progress.isStale, progress.encoding)
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
        let number = read
        let result = await present.result()
        // A newer state may have been encoded sooner.
        if number > reported {
            reported = number
            report(result)
        }
        let isLast = progress.withLock { progress in
            progress.encoding -= 1
            return progress.encoding == 0
        }
        guard isLast else { return }
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    private nonisolated func noteChange() {
        progress.withLock { $0.isStale = true }
        changed()
    }
}
