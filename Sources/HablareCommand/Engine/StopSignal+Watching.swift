import Foundation
import UnixSignals

extension StopSignal {
    /// Calls a handler for every SIGINT and SIGTERM, until the task is cancelled. Then they end the process again.
    static func watch(_ handler: @Sendable (StopSignal) -> Void) async {
        for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
            handler(signal == .sigterm ? .terminate : .interrupt)
        }
        // What caught the signals is taken away by now, but not what the system does with them: they would be lost.
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
    }
}
