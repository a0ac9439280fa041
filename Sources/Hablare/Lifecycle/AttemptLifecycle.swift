/// A key of an attempt: a flight and the lease under which the attempt runs.
package struct AttemptKey: Sendable, Hashable, Comparable {
    package let flight: FlightID
    /// The fencing token of the lease.
    package let token: Int64

    package init(flight: FlightID, token: Int64) {
        self.flight = flight
        self.token = token
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { (lhs.flight, lhs.token) < (rhs.flight, rhs.token) }
}

/// The states of an attempt in the process that runs it, from journalling its start to recording its end.
///
/// This is a pure value. Its counterpart ``FlightLifecycle`` holds the state of the flight for all processes. Each
/// method is an event and returns the resulting effects.
///
/// ```
///                  ┌──────────────────────────┐
/// journalling ─► running ─► returned ──────► recording ─► over
///      │            ▼                       ▲  ▲
///      └────────► stopping ─────────────────┘  │
///                   └─► abandoned ─────────────┘
/// ```
///
/// An attempt is `returned` only while the last of its output is being journalled. An abandoned attempt moves to
/// `recording` if its provider returns after all.
package enum AttemptLifecycle: Sendable, Hashable {
    /// The start is being written to the store, so nothing has been sent. After a stop, the provider has the grace
    /// period to return, which begins when the store has answered. The provider is not called at all if the stop is
    /// seen in time.
    case journalling(stop: StopReason?)
    /// The provider works.
    case running
    /// The provider has been asked to stop and has until the deadline.
    case stopping(StopReason)
    /// The provider did not react to the stop in time, and the attempt's slot is free for the next attempt. `standIn`
    /// is the recording of an end instead of the provider's. It is `nil` if no such end is recorded, or once it has
    /// been recorded.
    case abandoned(StopReason, standIn: Recording?)
    /// The provider returned, and the last of its output is being journalled. Nothing stops the attempt any more.
    case returned(StopReason?)
    case recording(Recording)
    /// The end is recorded or was not needed.
    case over

    /// The recording of an attempt's end.
    package struct Recording: Sendable, Hashable {
        package var failures = 0
        package var isSuspended = false

        package init() {}
    }

    package enum Effect: Sendable, Hashable {
        /// Cancel the attempt's task.
        case cancel
        /// Report ``AttemptLifecycle/deadlineReached(timeout:silence:isOffline:)`` after this time.
        case setDeadline(Duration)
        /// Free the attempt's slot, and record an end instead of the provider's if the request is to continue.
        case abandon(StopReason)
    }

    /// Whether the attempt takes a slot among its provider's calls.
    package var holdsSlot: Bool {
        switch self {
        case .journalling, .running, .stopping, .returned: true
        case .abandoned, .recording, .over: false
        }
    }

    /// The recording in progress.
    package var recording: Recording? {
        switch self {
        case .recording(let recording), .abandoned(_, standIn: let recording?): recording
        case .journalling, .running, .stopping, .abandoned, .returned, .over: nil
        }
    }

    /// Whether an end is about to be written. The process must stay registered until it is.
    package var isBeingRecorded: Bool {
        if case .returned = self { return true }
        return recording.map { !$0.isSuspended } ?? false
    }

    /// Whether the start is on disk, as far as this process knows.
    package var isJournalled: Bool { if case .journalling = self { false } else { true } }

    // MARK: Events

    /// Records that the attempt's start is on disk. The attempt's timeout begins now, or the grace period if it is
    /// stopped.
    package mutating func journalled(timeout: Duration, grace: Duration) -> [Effect] {
        guard case .journalling(let stop) = self else { return [] }
        self = stop.map { .stopping($0) } ?? .running
        return [.setDeadline(stop == nil ? timeout : grace)]
    }

    /// Stops the attempt. The first reason counts. An attempt that has returned is not stopped.
    package mutating func stopped(because reason: StopReason, grace: Duration) -> [Effect] {
        switch self {
        case .journalling(stop: nil):
            self = .journalling(stop: reason)
            return [.cancel]
        case .running:
            self = .stopping(reason)
            return [.cancel, .setDeadline(grace)]
        case .journalling, .stopping, .abandoned, .returned, .recording, .over: return []
        }
    }

    /// Handles the attempt's deadline.
    ///
    /// - Parameters:
    ///   - timeout: The attempt's time limit.
    ///   - silence: The rest of the time for which a streaming provider may be silent; `nil` if it has passed, or if
    ///     the attempt does not stream.
    ///   - isOffline: Whether there is no network, so that silence is not the provider's fault.
    ///   - grace: The time that a provider has to react to a stop.
    package mutating func deadlineReached(
        timeout: Duration, silence: Duration?, isOffline: Bool, grace: Duration
    ) -> [Effect] {
        switch self {
        case .running:
            if let silence { return [.setDeadline(silence)] }
            return stopped(because: isOffline ? .interrupted : .timedOut(after: timeout), grace: grace)
        case .stopping(let reason):
            self = .abandoned(reason, standIn: reason.isRecordedWhenAbandoned ? Recording() : nil)
            return [.abandon(reason)]
        case .journalling, .abandoned, .returned, .recording, .over:
            return []
        }
    }

    /// Records that the provider returned while some of its output is still to be journalled.
    ///
    /// - Parameter stopped: The reason why a failure is not the provider's fault, although the attempt was not stopped;
    ///   otherwise `nil`.
    package mutating func returned(_ stopped: StopReason?) {
        if case .running = self { self = .returned(stopped) }
    }

    /// Records that the provider returned and all of its output is journalled. The attempt's end is recorded next.
    ///
    /// - Parameter own: The reason why a failure is not the provider's fault, although the attempt was not stopped;
    ///   otherwise `nil`.
    /// - Returns: The reason why the attempt was stopped, if it was.
    package mutating func ended(_ own: StopReason?) -> StopReason? {
        let reason: StopReason? =
            switch self {
            case .stopping(let reason), .abandoned(let reason, _): reason
            case .returned(let reason): reason
            case .running, .journalling(stop: nil): own
            case .journalling(stop: let reason?): reason
            case .recording, .over: nil  // it has already ended
            }
        self = .recording(Recording())
        return reason
    }

    /// Records that the store took the end, or refused it permanently.
    package mutating func recorded() {
        switch self {
        case .abandoned(let reason, _): self = .abandoned(reason, standIn: nil)
        case .recording: self = .over
        case .journalling, .running, .stopping, .returned, .over: break
        }
    }

    /// Records that the store could not take the end. The end is kept for another try.
    package mutating func recordingFailed() {
        change { recording in
            recording.failures += 1
            recording.isSuspended = true
        }
    }

    /// Resumes the recording of the end now that the store can be written again. Returns whether it was suspended.
    package mutating func recordingResumed() -> Bool {
        guard recording?.isSuspended == true else { return false }
        change { $0.isSuspended = false }
        return true
    }

    private mutating func change(_ change: (inout Recording) -> Void) {
        guard var recording else { return }
        change(&recording)
        switch self {
        case .abandoned(let reason, _): self = .abandoned(reason, standIn: recording)
        default: self = .recording(recording)
        }
    }
}

extension StopReason {
    /// Whether an end is recorded on behalf of an attempt that was abandoned for this reason.
    ///
    /// The request then continues or fails without the provider's answer. After a cancellation or an expiry the store
    /// has already recorded the end.
    package var isRecordedWhenAbandoned: Bool {
        switch self {
        case .timedOut, .interrupted: true
        case .cancelled, .expired, .offline: false
        }
    }
}
