package import Foundation

// What goes in and out.
extension DispatchCore {
    /// What the shell is to do.
    package enum Effect: Sendable {
        /// Journal the attempt, then run it.
        case start(QueuedFlight)
        /// Run the attempt that its submission has journalled.
        case run(QueuedFlight)
        /// Ask the store for waiting flights, then tell ``DispatchCore/claimed(_:nextDue:by:asked:now:)``.
        case claim(ProviderID, limit: Int)
        /// End the attempt: nobody wants its outcome.
        case stop(FlightID)
        /// Give unsent leases back to the store.
        case release([QueuedFlight])
        /// Reserve permits in the store, then tell ``DispatchCore/granted(_:of:now:)``.
        indirect case reserve(PermitRequest)
        /// Tell the store what was learned of an account.
        indirect case report(AccountReport)
    }

    /// How a submission is to be written.
    package enum Placement: Sendable, Hashable {
        /// Executing its first attempt: a place among the calls under way is kept for it.
        case start
        /// Leased: a place in the window is kept for it.
        case lease
        /// Waiting: it is for the store to keep.
        case leave
    }

    /// What the end of a call says beside its outcome.
    package struct CallEnd: Sendable, Hashable {
        /// What it says of the provider's health.
        package var health: Breaker.Health
        /// When the provider wants to hear of us again.
        package var pausedUntil: Date?
        /// What the provider said of its limits.
        package var limits: ReportedLimits?
        /// Whether it took as long as the provider takes: it was sent, and nobody stopped it.
        var showsPace: Bool

        package init(health: Breaker.Health, pausedUntil: Date? = nil, limits: ReportedLimits? = nil) {
            self.init(health: health, pausedUntil: pausedUntil, limits: limits, showsPace: health != .unknown)
        }

        private init(
            health: Breaker.Health, pausedUntil: Date? = nil, limits: ReportedLimits? = nil, showsPace: Bool
        ) {
            self.health = health
            self.showsPace = showsPace
            self.pausedUntil = pausedUntil
            self.limits = limits
        }

        /// The call was not made.
        package static let notSent = CallEnd(health: .unknown)
        /// What it says was told by ``DispatchCore/cameBack(_:_:now:)``.
        package static let known = CallEnd(health: .unknown, showsPace: true)
    }
}
