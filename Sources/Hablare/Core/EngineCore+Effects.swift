package import Foundation

/// The current moment: a date for records, and a time of the monotonic clock for waits.
package struct Moment: Sendable, Hashable {
    package let date: Date
    package let clock: Duration

    package init(date: Date, clock: Duration) {
        self.date = date
        self.clock = clock
    }

    /// Returns the clock's time at a date. The time is at least a millisecond in the future.
    func time(of date: Date) -> Duration { clock + max(.milliseconds(1), .between(self.date, date)) }
}

extension EngineCore {
    package enum Effect: Sendable {
        // Attempts
        /// Write the start of the attempt to the store, then call its provider.
        case start(QueuedFlight)
        /// Call the provider. The start of the attempt was written with its submission.
        case run(QueuedFlight)
        /// Cancel the attempt's task.
        case stop(AttemptKey)
        /// Record an end for an attempt whose provider did not return in time after it was asked to stop. Do so only if
        /// the request is to continue.
        case abandon(AttemptKey, StopReason)
        /// Record the ends of attempts that the store could not record before.
        case resumeRecording([AttemptKey])

        // The store
        /// Lease up to `limit` waiting flights of a provider.
        case claim(ProviderID, limit: Int)
        /// Return the leases of flights that were not sent.
        case release([QueuedFlight])
        /// Reserve permits to call an account.
        indirect case reserve(PermitRequest)
        /// Record a change of an account: a pause, its limits, or its health.
        indirect case report(AccountReport)
        /// End the requests whose deadline has passed.
        case sweep
        /// Read the current status of a watched request, then call ``EngineCore/found(_:by:)``.
        case look(WatchedRequests.Look)

        // Watchers
        /// End the waiters and streams of requests.
        case end([WatchedRequests.Watched], Result<RequestStatus, any Error>)
        /// Let the readers of a request's stream read its new status.
        case wakeReaders(of: UUID)
        /// End the readers of a request's stream with an error.
        case failReaders(of: UUID, any Error)
        /// Let the readers of a flight's output read new chunks.
        case wakeReadersOfFlight(FlightID)
        /// Stop sending statuses and chunks to callers, or start again.
        case silence(Bool)
        /// Notify callers that they may wait again, because a wait ended without an outcome.
        case revive(Revival)

        // Others
        case event(EngineEvent)
        /// Update the cached answers in memory, because some of them are out of date or an answer was recorded.
        case answers(AnswerChange)
        /// Start or stop listening to the commits of other processes.
        case listen(Bool)
    }

    /// A change of the cached answers.
    package enum AnswerChange: Sendable, Hashable {
        /// An answer to this work was recorded. The fingerprint is `nil` if the work is unknown. `isCached` says
        /// whether the answer entered the cache.
        case recorded(Fingerprint?, isCached: Bool)
        /// Some answers were removed from the cache. It is not known which.
        case dropped
        /// Another process may have changed any answer.
        case doubtful
    }

    package enum Placement: Sendable, Hashable {
        /// The flight executes its first attempt. It occupies one of the slots for calls in flight.
        case start
        /// The flight is leased, and waits in the provider's queue of this process (its lane).
        case lease
        /// The flight waits in the store.
        case leave
    }

    package struct CallReport: Sendable, Hashable {
        package var health: Breaker.Health
        package var pausedUntil: Date?
        package var limits: ReportedLimits?
        /// Whether the call's duration shows how fast the provider is. This is the case if the call was sent and was
        /// not stopped.
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
        /// The report of a call about which nothing new is to be reported. Its health and limits were already recorded
        /// when its provider returned.
        package static let known = CallReport(health: .unknown, showsPace: true)
    }
}

/// A reason to restart a wait that ended without a usable outcome.
package enum Revival: Sendable, Hashable {
    /// A failed or cancelled request is retried.
    case request(UUID)
    /// The engine resumes after a suspension or shutdown that had ended its waits.
    case engine
}
