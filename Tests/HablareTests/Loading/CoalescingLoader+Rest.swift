import HablareSupport

@testable import Hablare
@testable import HablareLoading

extension CoalescingLoader {
    /// Whether nothing is in progress, waits, or is remembered after its end.
    var isIdle: Bool {
        state.withLock { state in
            state.core.count == 0 && state.core.underWay.isEmpty && state.asks.isEmpty && state.tasks.isEmpty
                && state.places.isEmpty
                && state.traffic.count == 0 && state.writes.count == 0
        }
    }
}
