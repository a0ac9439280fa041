@testable import Hablare
@testable import HablareLoading

extension CoalescingLoader {
    /// Whether nothing is under way, waits, or is remembered of what is over.
    var isAtRest: Bool {
        state.withLock { state in
            state.core.count == 0 && state.core.underWay.isEmpty && state.asks.isEmpty && state.tasks.isEmpty
                && state.traffic.count == 0 && state.writes.count == 0
        }
    }
}
