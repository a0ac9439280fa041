import Hablare
public import HablarePresentation

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// A scheduler of publishers whose time stands still until it is told to move: debounced, delayed and throttled publishers are
/// tested without waiting.
///
/// Belongs to one actor: schedule, and move the time, from where it was made.
public final class TestScheduler: Scheduler {
    /// Its moments.
    public typealias SchedulerTimeType = SchedulerInstant
    /// There are no options.
    public typealias SchedulerOptions = Never

    private struct Entry {
        let number: Int
        let due: SchedulerInstant
        let action: () -> Void
    }

    /// The present moment.
    public private(set) var now = SchedulerInstant()
    private var entries: [Entry] = []
    private var last = 0

    /// Creates a scheduler at time zero.
    public init() {}

    /// None.
    public var minimumTolerance: SchedulerInstant.Stride { 0 }

    /// How many actions wait for their time.
    public var scheduledCount: Int { entries.count }

    /// Moves the time, and runs what is due meanwhile, in the order of its time, and what that schedules, too. With no time, runs
    /// what is due now.
    public func advance(by time: SchedulerInstant.Stride = 0) {
        let end = now.advanced(by: time)
        while let next = entries.filter({ $0.due <= end }).min(by: { ($0.due, $0.number) < ($1.due, $1.number) }) {
            now = max(now, next.due)
            entries.removeAll { $0.number == next.number }
            next.action()
        }
        now = end
    }

    /// Runs an action when the time is moved next, also by nothing.
    public func schedule(options: Never?, _ action: @escaping () -> Void) {
        _ = enter(at: now, action)
    }

    /// Runs an action when the time is moved to a moment, or past it.
    public func schedule(
        after date: SchedulerInstant, tolerance: SchedulerInstant.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) {
        _ = enter(at: date, action)
    }

    /// Runs an action when the time is moved to a moment, or past it, and again and again, until it is cancelled.
    public func schedule(
        after date: SchedulerInstant, interval: SchedulerInstant.Stride, tolerance: SchedulerInstant.Stride,
        options: Never?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        let repetition = Repetition(self, action, interval: interval)
        repetition.begin(at: date)
        return repetition
    }

    private func enter(at due: SchedulerInstant, _ action: @escaping () -> Void) -> Int {
        last += 1
        entries.append(Entry(number: last, due: due, action: action))
        return last
    }

    private final class Repetition: Cancellable {
        private let scheduler: TestScheduler
        private let action: () -> Void
        private let interval: SchedulerInstant.Stride
        private var number = 0
        private var isCancelled = false

        init(_ scheduler: TestScheduler, _ action: @escaping () -> Void, interval: SchedulerInstant.Stride) {
            self.scheduler = scheduler
            self.action = action
            self.interval = interval
        }

        func begin(at date: SchedulerInstant) {
            number = scheduler.enter(at: date) { [self] in
                action()
                // Not less than a nanosecond: the time would stand still otherwise.
                if !isCancelled { begin(at: date.advanced(by: max(interval, 1))) }
            }
        }

        func cancel() {
            isCancelled = true
            scheduler.entries.removeAll { $0.number == number }
        }
    }
}
