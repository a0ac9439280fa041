public import Observation

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// An error that is shown for a while, and then goes by itself.
///
/// Each error has its own time: when that of an older one is up, a newer one stays, also where both say the same.
@Observable @MainActor
public final class TransientError<Context: Scheduler>: ResourceErrorView {
    /// What is shown; `nil` where nothing is.
    public private(set) var message: String?

    @ObservationIgnored private let scheduler: Context
    @ObservationIgnored private let interval: ReactiveInterval
    /// The number of the error that is shown.
    @ObservationIgnored private var shown = 0

    /// Creates an error that does not show anything.
    ///
    /// - Parameters:
    ///   - scheduler: Measures the time, and runs on the main actor: ``MainScheduler``.
    ///   - interval: How long an error is shown. Default: 5 s.
    public init(on scheduler: Context, for interval: ReactiveInterval = .errorDisplay) {
        self.scheduler = scheduler
        self.interval = interval
    }

    /// Shows a message, for the whole time, whatever is shown now.
    public func show(_ message: String) {
        shown += 1
        self.message = message
        let number = shown
        scheduler.schedule(after: scheduler.now.advanced(by: interval.time())) { [weak self] in
            self?.timeIsUp(for: number)
        }
    }

    /// Shows nothing any more.
    public func clear() {
        shown += 1
        message = nil
    }

    /// Shows a message, or nothing any more, as a presenter says.
    public func display(_ viewModel: ResourceErrorViewModel) {
        if let message = viewModel.message { show(message) } else { clear() }
    }

    private func timeIsUp(for number: Int) {
        guard number == shown else { return }
        message = nil
    }
}
