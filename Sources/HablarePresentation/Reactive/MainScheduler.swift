import Dispatch
import Hablare
import HablareSupport

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// A scheduler that runs actions on the main queue, and therefore on the main actor.
///
/// A scheduled action never runs at once. Even if the caller is on the main queue, the action runs after the current
/// block of the queue. The scheduler behaves in the same way on all platforms, including platforms whose Combine has no
/// scheduler for the main queue.
public struct MainScheduler: Scheduler, Sendable {
    /// The type of the scheduler's instants.
    public typealias SchedulerTimeType = SchedulerInstant
    /// The type of the scheduler's options. There are none.
    public typealias SchedulerOptions = Never

    /// Creates a scheduler.
    public init() {}

    /// The time since the machine started.
    public var now: SchedulerInstant {
        SchedulerInstant(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }

    /// The minimum tolerance: zero.
    public var minimumTolerance: SchedulerInstant.Stride { 0 }

    /// Schedules an action on the main queue.
    public func schedule(options: Never?, _ action: @escaping () -> Void) {
        DispatchQueue.main.async(execute: DispatchWorkItem(block: action))
    }

    /// Runs an action at a time. If that time has passed, the action runs as soon as the main queue is free.
    public func schedule(
        after date: SchedulerInstant, tolerance: SchedulerInstant.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) {
        DispatchQueue.main.asyncAfter(deadline: Self.deadline(date), execute: DispatchWorkItem(block: action))
    }

    /// Runs an action at a time, and repeatedly after that, until it is cancelled.
    public func schedule(
        after date: SchedulerInstant, interval: SchedulerInstant.Stride, tolerance: SchedulerInstant.Stride,
        options: Never?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        let repetition = Repetition(action, interval: interval)
        repetition.begin(at: date, on: self)
        return repetition
    }

    private static func deadline(_ date: SchedulerInstant) -> DispatchTime {
        DispatchTime(uptimeNanoseconds: UInt64(clamping: date.nanoseconds))
    }
}

extension MainScheduler {
    private final class Repetition: Cancellable {
        private let action: () -> Void
        private let interval: SchedulerInstant.Stride
        private let isCancelled = Locked(false)

        init(_ action: @escaping () -> Void, interval: SchedulerInstant.Stride) {
            self.action = action
            self.interval = interval
        }

        func begin(at date: SchedulerInstant, on scheduler: MainScheduler) {
            scheduler.schedule(after: date, tolerance: 0, options: nil) { [self] in
                guard !isCancelled.withLock({ $0 }) else { return }
                action()
                // At least a millisecond, because a zero interval would keep the main queue busy.
                begin(at: date.advanced(by: max(interval, .milliseconds(1))), on: scheduler)
            }
        }

        func cancel() { isCancelled.withLock { $0 = true } }
    }
}
