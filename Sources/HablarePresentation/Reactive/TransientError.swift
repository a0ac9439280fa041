public import Observation

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// An error message that is shown for a while and then disappears.
///
/// Each message is shown for its full time. If a newer message replaces a message, the newer message has its own full
/// time, even if the texts are equal.
@Observable @MainActor
public final class TransientError<Context: Scheduler>: ResourceErrorView {
    /// The message that is shown; `nil` if there is none.
    public private(set) var message: String?

    @ObservationIgnored private let scheduler: Context
    @ObservationIgnored private let interval: ReactiveInterval
    /// The number of the message that is shown. A timer of an older message does not remove it.
    @ObservationIgnored private var shown = 0

    /// Creates an object that shows no message yet.
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler that measures the time. It must run on the main actor, such as ``MainScheduler``.
    ///   - interval: The time for which a message is shown. Default: 5 s.
    public init(on scheduler: Context, for interval: ReactiveInterval = .errorDisplay) {
        self.scheduler = scheduler
        self.interval = interval
    }

    /// Shows a message in place of the current message, for its full time.
    public func show(_ message: String) {
        shown += 1
        self.message = message
        let number = shown
        scheduler.schedule(after: scheduler.now.advanced(by: interval.time())) { [weak self] in
            self?.timeIsUp(for: number)
        }
    }

    /// Removes the message.
    public func clear() {
        shown += 1
        message = nil
    }

    /// Shows or removes a message, as the presenter requests.
    public func display(_ viewModel: ResourceErrorViewModel) {
        if let message = viewModel.message { show(message) } else { clear() }
    }

    private func timeIsUp(for number: Int) {
        guard number == shown else { return }
        message = nil
    }
}
