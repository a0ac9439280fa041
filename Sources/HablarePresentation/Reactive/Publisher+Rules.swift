#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension Publisher {
    /// The newest element, once nothing has come for ``ReactiveInterval/queueCommit``: when a queue is to be committed.
    ///
    /// What waits when the upstream ends is not told: whoever ends a queue commits what is left.
    public func debouncedForCommit<Context: Scheduler>(on scheduler: Context) -> Publishers.Debounce<Self, Context> {
        debounce(for: ReactiveInterval.queueCommit.time(), scheduler: scheduler)
    }

    /// The newest element, once nothing has come for ``ReactiveInterval/queueDisplay``: when a queue is to be shown anew.
    public func debouncedForDisplay<Context: Scheduler>(on scheduler: Context) -> Publishers.Debounce<Self, Context> {
        debounce(for: ReactiveInterval.queueDisplay.time(), scheduler: scheduler)
    }

    /// The first element at once, then the newest one, every ``ReactiveInterval/display`` at most: for what changes all the time.
    public func throttledForDisplay<Context: Scheduler>(on scheduler: Context) -> Publishers.Throttle<Self, Context> {
        throttle(for: ReactiveInterval.display.time(), scheduler: scheduler, latest: true)
    }
}

extension Publisher where Output: Equatable {
    /// Only what differs from the element before.
    public func changes() -> Publishers.RemoveDuplicates<Self> { removeDuplicates() }
}
