import Hablare
public import HablarePresentation

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// A scheduler whose time moves only when a test moves it. With it, a test of debounced, delayed or throttled
/// publishers does not have to wait.
///
/// The scheduler belongs to one actor. Schedule actions and move the time only from the actor that created the
/// scheduler.
public final class TestScheduler: Scheduler {
    /// The type of the scheduler's instants.
    public typealias SchedulerTimeType = SchedulerInstant
    /// The type of the scheduler's options. There are none.
    public typealias SchedulerOptions = Never

    private struct Entry {
        let number: Int
        let due: SchedulerInstant
        let action: () -> Void
    }

    /// The current instant.
    public private(set) var now = SchedulerInstant()
    private var entries: [Entry] = []
    private var last = 0

    /// Creates a scheduler at time zero.
    public init() {}

    /// The minimum tolerance: zero.
    public var minimumTolerance: SchedulerInstant.Stride { 0 }

    /// The number of scheduled actions.
    public var scheduledCount: Int { entries.count }

    /// Moves the time forward. Runs all actions that are due at the new time or earlier, in the order of their times,
    /// including actions that are scheduled during the call. With a time of zero, runs the actions that are due now.
    public func advance(by time: SchedulerInstant.Stride = 0) {
        let end = now.advanced(by: time)
        while let next = entries.filter({ $0.due <= end }).min(by: { ($0.due, $0.number) < ($1.due, $1.number) }) {
            now = max(now, next.due)
            entries.removeAll { $0.number == next.number }
            next.action()
        }
        now = end
    }

    /// Schedules an action for the next call of ``advance(by:)``, even if that call advances by zero.
    public func schedule(options: Never?, _ action: @escaping () -> Void) {
        _ = enter(at: now, action)
    }

    /// Runs an action when the time reaches an instant.
    public func schedule(
        after date: SchedulerInstant, tolerance: SchedulerInstant.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) {
        _ = enter(at: date, action)
    }

    /// Runs an action when the time reaches an instant, and repeatedly after that, until it is cancelled.
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
                // At least a nanosecond, because a zero interval would never let the time advance.
                if !isCancelled { begin(at: date.advanced(by: max(interval, 1))) }
            }
        }

        func cancel() {
            isCancelled = true
            scheduler.entries.removeAll { $0.number == number }
        }
    }
}
