import Dispatch
import Hablare

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// The main queue as a scheduler of publishers: what is received on it runs on the main actor.
///
/// Never runs anything at once, also not where the caller is on the main queue: what is scheduled comes after what is going on.
/// It is the same on Apple's platforms and elsewhere, where Combine has no queue for it.
public struct MainScheduler: Scheduler, Sendable {
    /// Its moments.
    public typealias SchedulerTimeType = SchedulerInstant
    /// There are no options.
    public typealias SchedulerOptions = Never

    /// Creates a scheduler.
    public init() {}

    /// The time since the machine was started.
    public var now: SchedulerInstant {
        SchedulerInstant(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }

    /// None.
    public var minimumTolerance: SchedulerInstant.Stride { 0 }

    /// Runs an action soon.
    public func schedule(options: Never?, _ action: @escaping () -> Void) {
        DispatchQueue.main.async(execute: DispatchWorkItem(block: action))
    }

    /// Runs an action at a moment, or soon where that is past.
    public func schedule(
        after date: SchedulerInstant, tolerance: SchedulerInstant.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) {
        DispatchQueue.main.asyncAfter(deadline: Self.deadline(date), execute: DispatchWorkItem(block: action))
    }

    /// Runs an action at a moment, and again and again, until it is cancelled.
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
        private let isCancelled = Guarded(false)

        init(_ action: @escaping () -> Void, interval: SchedulerInstant.Stride) {
            self.action = action
            self.interval = interval
        }

        func begin(at date: SchedulerInstant, on scheduler: MainScheduler) {
            scheduler.schedule(after: date, tolerance: 0, options: nil) { [self] in
                guard !isCancelled.withLock({ $0 }) else { return }
                action()
                // Not less than a millisecond: an interval of nothing would leave the main queue no time for anything else.
                begin(at: date.advanced(by: max(interval, .milliseconds(1))), on: scheduler)
            }
        }

        func cancel() { isCancelled.withLock { $0 = true } }
    }
}
