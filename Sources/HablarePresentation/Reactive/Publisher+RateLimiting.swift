#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension Publisher {
    /// Publishes the newest element after a pause of ``ReactiveInterval/queueCommit``, for committing a queue.
    ///
    /// An element that is still waiting when the upstream ends is dropped. Commit the rest of a queue yourself when you
    /// end it.
    public func debouncedForCommit<Context: Scheduler>(on scheduler: Context) -> Publishers.Debounce<Self, Context> {
        debounce(for: ReactiveInterval.queueCommit.time(), scheduler: scheduler)
    }

    /// Publishes the newest element after a pause of ``ReactiveInterval/queueDisplay``, for redrawing a queue.
    public func debouncedForDisplay<Context: Scheduler>(on scheduler: Context) -> Publishers.Debounce<Self, Context> {
        debounce(for: ReactiveInterval.queueDisplay.time(), scheduler: scheduler)
    }

    /// Publishes the first element at once, then the newest one at most every ``ReactiveInterval/display``, for values
    /// that change all the time.
    public func throttledForDisplay<Context: Scheduler>(on scheduler: Context) -> Publishers.Throttle<Self, Context> {
        throttle(for: ReactiveInterval.display.time(), scheduler: scheduler, latest: true)
    }
}

extension Publisher where Output: Equatable {
    /// Publishes only elements that differ from the one before.
    public func changes() -> Publishers.RemoveDuplicates<Self> { removeDuplicates() }
}
