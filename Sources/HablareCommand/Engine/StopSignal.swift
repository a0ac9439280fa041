import Foundation
import Hablare
import UnixSignals

enum StopSignal: Sendable, Hashable {
    case interrupt
    case terminate

    var status: CommandStatus {
        switch self {
        case .interrupt: .interrupted
        case .terminate: .terminated
        }
    }
}

extension StopSignal {
    /// Calls a handler for every SIGINT and SIGTERM, until the task is cancelled. Then they end the process again.
    static func watch(_ handler: @Sendable (StopSignal) -> Void) async {
        for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
            handler(signal == .sigterm ? .terminate : .interrupt)
        }
        // The handlers are gone by now, but not the disposition: the signals would be lost.
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
    }
}

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
    let during = AsyncStream.makeStream(of: Void.self)

    private let state = Guarded(State())
    private let stopping: @Sendable (StopSignal) -> Void

    init(stopping: @escaping @Sendable (StopSignal) -> Void) {
        self.stopping = stopping
    }

    var last: StopSignal? { state.withLock { $0.last } }

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

    func reportBegins() {
        state.withLock { $0.isReporting = true }
    }
}
