import Hablare

/// The signals that came, each told to whom it is for: while there is work, the first stops it and the second ends what
/// is under way; while the end is reported, each ends that.
final class StopOrders: Sendable {
    private struct State: Sendable {
        var count = 0
        var last: StopSignal?
        var isReporting = false
    }

    /// The first signal, if it came during the work.
    let first = AsyncStream.makeStream(of: StopSignal.self)
    /// The second one, likewise.
    let second = AsyncStream.makeStream(of: Void.self)
    /// Those that came during the report.
    let during = AsyncStream.makeStream(of: Void.self)

    private let state = Guarded(State())
    private let stopping: @Sendable (StopSignal) -> Void

    init(stopping: @escaping @Sendable (StopSignal) -> Void) {
        self.stopping = stopping
    }

    /// The last signal; `nil` before the first.
    var last: StopSignal? { state.withLock { $0.last } }

    /// A signal came.
    func take(_ signal: StopSignal) {
        let (number, isReporting) = state.withLock { state in
            state.count += 1
            state.last = signal
            return (state.count, state.isReporting)
        }
        if isReporting {
            during.continuation.yield()
        } else if number == 1 {
            stopping(signal)
            first.continuation.yield(signal)
        } else {
            second.continuation.yield()
        }
    }

    /// The work is over, and its end is reported.
    func reportBegins() {
        state.withLock { $0.isReporting = true }
    }
}
