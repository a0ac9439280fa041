#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension Publisher {
    /// Publishes the newest element after a pause of ``ReactiveInterval/queueCommit``. Use it to commit a queue.
    ///
    /// An element that is still waiting when the upstream ends is dropped. When you end a queue, commit its remaining
    /// actions yourself.
    public func debouncedForCommit<Context: Scheduler>(on scheduler: Context) -> Publishers.Debounce<Self, Context> {
        debounce(for: ReactiveInterval.queueCommit.time(), scheduler: scheduler)
    }

    /// Publishes the newest element after a pause of ``ReactiveInterval/queueDisplay``. Use it to redraw a queue.
    public func debouncedForDisplay<Context: Scheduler>(on scheduler: Context) -> Publishers.Debounce<Self, Context> {
        debounce(for: ReactiveInterval.queueDisplay.time(), scheduler: scheduler)
    }

    /// Publishes the first element at once. After that, publishes the newest element at most once in each
    /// ``ReactiveInterval/display``. Use it for values that change all the time.
    public func throttledForDisplay<Context: Scheduler>(on scheduler: Context) -> Publishers.Throttle<Self, Context> {
        throttle(for: ReactiveInterval.display.time(), scheduler: scheduler, latest: true)
    }
}

extension Publisher where Output: Equatable {
    /// Publishes only elements that differ from the previous element.
    public func changes() -> Publishers.RemoveDuplicates<Self> { removeDuplicates() }
}
