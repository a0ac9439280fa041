#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension Publisher {
    /// Publishes the newest element after a pause of ``ReactiveInterval/queueCommit``. Use the publisher to commit a
    /// queue of changes.
    ///
    /// If the upstream ends during the pause, the newest element is lost. When you end a queue, commit its remaining
    /// actions yourself.
    public func debouncedForCommit<Context: Scheduler>(on scheduler: Context) -> Publishers.Debounce<Self, Context> {
        debounce(for: ReactiveInterval.queueCommit.time(), scheduler: scheduler)
    }

    /// Publishes the newest element after a pause of ``ReactiveInterval/queueDisplay``. Use the publisher to redraw a
    /// queue.
    public func debouncedForDisplay<Context: Scheduler>(on scheduler: Context) -> Publishers.Debounce<Self, Context> {
        debounce(for: ReactiveInterval.queueDisplay.time(), scheduler: scheduler)
    }

    /// Publishes the first element at once, and after that the newest element at most once per
    /// ``ReactiveInterval/display``. Use the publisher for values that change all the time.
    public func throttledForDisplay<Context: Scheduler>(on scheduler: Context) -> Publishers.Throttle<Self, Context> {
        throttle(for: ReactiveInterval.display.time(), scheduler: scheduler, latest: true)
    }
}

extension Publisher where Output: Equatable {
    /// Publishes only elements that differ from the previous element.
    public func changes() -> Publishers.RemoveDuplicates<Self> { removeDuplicates() }
}
