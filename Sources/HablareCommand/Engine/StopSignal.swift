import Foundation
import Hablare
import HablareSupport
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
    /// Calls a handler for every SIGINT and SIGTERM until the task is cancelled. After that, these signals end the
    /// process again.
    static func watch(_ handler: @Sendable (StopSignal) -> Void) async {
        for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
            handler(signal == .sigterm ? .terminate : .interrupt)
        }
        // The handlers are gone by now but the signals are still ignored, so restore their default.
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
    }
}

/// Decides by the state of the command what a signal does. During the work, the first signal stops the work and the
/// second signal ends attempts in flight. During the report, each signal ends the report.
final class StopOrders: Sendable {
    private struct State: Sendable {
        var count = 0
        var last: StopSignal?
        var isReporting = false
    }

    /// The first signal, if it arrived during the work.
    let first = AsyncStream.makeStream(of: StopSignal.self)
    /// The second signal, if it arrived during the work.
    let second = AsyncStream.makeStream(of: Void.self)
    let during = AsyncStream.makeStream(of: Void.self)

    private let state = Locked(State())
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
