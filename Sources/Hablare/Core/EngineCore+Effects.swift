package import Foundation

/// The present moment by both clocks: records are dated by one, waits are measured by the other.
package struct Moment: Sendable, Hashable {
    package let date: Date
    package let clock: Duration

    package init(date: Date, clock: Duration) {
        self.date = date
        self.clock = clock
    }

    /// The clock's time at a date, a millisecond ahead at least.
    func time(of date: Date) -> Duration { clock + max(.milliseconds(1), .between(self.date, date)) }
}

extension EngineCore {
    package enum Effect: Sendable {
        // Attempts
        /// Journal the attempt, then call its provider.
        case start(QueuedFlight)
        /// Call the provider: the attempt was journalled with its submission.
        case run(QueuedFlight)
        case stop(AttemptKey)
        /// The provider does not react: record an end for it where its request is to go on.
        case abandon(AttemptKey, StopReason)
        /// Record the ends that the store could not take.
        case resumeRecording([AttemptKey])

        // The store
        case claim(ProviderID, limit: Int)
        case release([QueuedFlight])
        indirect case reserve(PermitRequest)
        indirect case report(AccountReport)
        case sweep
        /// Read the present status of a watched request, then report ``EngineCore/found(_:by:)``.
        case look(WatchedRequests.Look)

        // Watchers
        case end([WatchedRequests.Watched], Result<RequestStatus, any Error>)
        case wakeReaders(of: UUID)
        case failReaders(of: UUID, any Error)
        case wakeReadersOfFlight(FlightID)
        /// Stop telling anyone anything, or go on with it.
        case silence(Bool)
        /// Waits that ended without an outcome may be begun again.
        case revive(Revival)

        // Others
        case event(EngineEvent)
        /// Answers in memory are out of date, or one was recorded.
        case answers(AnswerChange)
        case listen(Bool)
    }

    /// What happened to the cached answers.
    package enum AnswerChange: Sendable, Hashable {
        /// An answer to this work was recorded; `nil`: of unknown work. `isCached`: it entered the cache.
        case recorded(Fingerprint?, isCached: Bool)
        /// Some left the cache, and which is not known.
        case dropped
        /// Another process may have changed any.
        case doubtful
    }

    package enum Placement: Sendable, Hashable {
        /// Executing its first attempt: a place among the calls under way is kept for it.
        case start
        /// Leased: a place in the window is kept for it.
        case lease
        /// Waiting in the store.
        case leave
    }

    package struct CallReport: Sendable, Hashable {
        package var health: Breaker.Health
        package var pausedUntil: Date?
        package var limits: ReportedLimits?
        /// Whether it took as long as the provider takes: it was sent, and nothing stopped it.
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

        package static let notSent = CallReport(health: .unknown)
        /// The report of a call whose health and limits were noted when its provider returned.
        package static let known = CallReport(health: .unknown, showsPace: true)
    }
}

/// What is worth a wait again that had ended without an outcome that can be used.
package enum Revival: Sendable, Hashable {
    /// A failed or cancelled request is tried again.
    case request(UUID)
    /// Waits that the engine's rest or end had broken off may be begun anew.
    case engine
}
