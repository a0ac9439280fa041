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
    /// What the shell does after an event.
    package enum Effect: Sendable {
        // Attempts
        /// Journal the attempt, then call its provider.
        case start(QueuedFlight)
        /// Call the provider: the attempt was journalled with its submission.
        case run(QueuedFlight)
        /// Cancel the attempt's task.
        case stop(AttemptKey)
        /// The provider does not react: record an end for it where its request is to go on.
        case abandon(AttemptKey, StopReason)
        /// Record the ends that the store could not take.
        case resumeRecording([AttemptKey])

        // The store
        /// Ask for waiting flights.
        case claim(ProviderID, limit: Int)
        /// Give unsent leases back.
        case release([QueuedFlight])
        /// Reserve permits.
        indirect case reserve(PermitRequest)
        /// Note what was learned of an account.
        indirect case report(AccountReport)
        /// End the requests whose deadline has come.
        case sweep
        /// Read the present status of a watched request, then report ``EngineCore/found(_:by:)``.
        case look(WatchedRequests.Look)

        // Watchers
        /// End waits and streams.
        case end([WatchedRequests.Watched], Result<RequestStatus, any Error>)
        /// Wake the readers of a request's stream: it may have ended or begun again.
        case wakeReaders(of: UUID)
        /// End the readers of a request's stream.
        case failReaders(of: UUID, any Error)
        /// Wake the readers of a flight's output: there is more.
        case wakeReadersOfFlight(FlightID)
        /// Stop telling anyone anything, or go on with it.
        case silence(Bool)
        /// Waits that ended without an outcome may be begun again.
        case revive(Revival)

        // Others
        /// Tell those who follow the engine's events.
        case event(EngineEvent)
        /// Answers in memory are out of date, or one was recorded.
        case answers(AnswerChange)
        /// Begin or end listening to other processes' commits.
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

    /// How a submission is to be written.
    package enum Placement: Sendable, Hashable {
        /// Executing its first attempt: a place among the calls under way is kept for it.
        case start
        /// Leased: a place in the window is kept for it.
        case lease
        /// Waiting in the store.
        case leave
    }

    /// What the end of a call says beside its outcome.
    package struct CallReport: Sendable, Hashable {
        /// What it says of the provider's health.
        package var health: Breaker.Health
        /// Until when the provider wants no calls of the account.
        package var pausedUntil: Date?
        /// What the provider said of its limits.
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

        /// The call was not made.
        package static let notSent = CallReport(health: .unknown)
        /// The report of a call whose health and limits were noted when its provider returned.
        package static let known = CallReport(health: .unknown, showsPace: true)
    }
}
