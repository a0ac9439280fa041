/// The key of an attempt: its flight, and the lease under which the attempt runs. A flight is the shared work of equal
/// requests.
package struct AttemptKey: Sendable, Hashable, Comparable {
    package let flight: FlightID
    /// The fencing token: the number of the lease. It grows with every lease of the flight.
    package let token: Int64

    package init(flight: FlightID, token: Int64) {
        self.flight = flight
        self.token = token
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { (lhs.flight, lhs.token) < (rhs.flight, rhs.token) }
}

/// The states of an attempt in the process that runs it, from the write of its start to the write of its end.
///
/// This type is a pure value. ``AttemptLifecycle`` is the state of an attempt in one process. ``FlightLifecycle`` is
/// the state of the flight for all processes. Each method applies one event to the state, and returns the effects that
/// the caller must perform.
///
/// ```
///                  ┌──────────────────────────┐
/// journalling ─► running ─► returned ──────► recording ─► over
///      │            ▼                       ▲  ▲
///      └────────► stopping ─────────────────┘  │
///                   └─► abandoned ─────────────┘
/// ```
///
/// An attempt is `returned` only while the last chunks of its output are being written to the store. If the provider of
/// an abandoned attempt returns later, the attempt becomes `recording`.
package enum AttemptLifecycle: Sendable, Hashable {
    /// The start is being written to the store, and the provider has not been called. If the attempt is stopped in this
    /// state, there are two cases. If the engine notices the stop in time, it does not call the provider. Otherwise the
    /// provider is called, and must return within the grace period. The grace period begins when the store has written
    /// the start.
    case journalling(stop: StopReason?)
    /// The provider works.
    case running
    /// The provider has been asked to stop, and must return before the deadline.
    case stopping(StopReason)
    /// The provider did not return in time after it was asked to stop. The attempt's slot is free for the next attempt.
    /// `standIn` is the write of an end that the engine records in place of the provider's result. It is `nil` if no
    /// such end has to be written, and after it has been written.
    case abandoned(StopReason, standIn: Recording?)
    /// The provider returned, and the last chunks of its output are being written to the store. The attempt can no
    /// longer be stopped.
    case returned(StopReason?)
    case recording(Recording)
    /// The end is written, or it need not be written.
    case over

    /// The writing of an attempt's end to the store.
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
        /// Free the attempt's slot. If the request is to continue, also record that the attempt ended, because the
        /// provider did not react to the stop.
        case abandon(StopReason)
    }

    /// Whether the attempt occupies one of the slots for its provider's calls.
    package var holdsSlot: Bool {
        switch self {
        case .journalling, .running, .stopping, .returned: true
        case .abandoned, .recording, .over: false
        }
    }

    /// The writing of the end that is in progress.
    package var recording: Recording? {
        switch self {
        case .recording(let recording), .abandoned(_, standIn: let recording?): recording
        case .journalling, .running, .stopping, .abandoned, .returned, .over: nil
        }
    }

    /// Whether the end of the attempt is about to be written. The process must stay registered until the end is
    /// written.
    package var isBeingRecorded: Bool {
        if case .returned = self { return true }
        return recording.map { !$0.isSuspended } ?? false
    }

    /// Whether the start of the attempt is on disk, as far as this process knows.
    package var isJournalled: Bool { if case .journalling = self { false } else { true } }

    // MARK: Events

    /// Records that the attempt's start is on disk. The attempt's timeout begins at this moment. If the attempt has
    /// already been stopped, its grace period begins instead.
    package mutating func journalled(timeout: Duration, grace: Duration) -> [Effect] {
        guard case .journalling(let stop) = self else { return [] }
        self = stop.map { .stopping($0) } ?? .running
        return [.setDeadline(stop == nil ? timeout : grace)]
    }

    /// Stops the attempt. If the attempt is stopped several times, the first reason is kept. Has no effect if the
    /// provider has already returned.
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

    /// Handles the end of the attempt's time limit, or the end of its grace period after a stop.
    ///
    /// - Parameters:
    ///   - timeout: The attempt's time limit.
    ///   - silence: The time for which a streaming provider may still be silent. `nil` if this time has passed, or if
    ///     the attempt does not stream.
    ///   - isOffline: Whether there is no network. If so, the silence does not count as a failure of the provider.
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

    /// Records that the provider returned while the last chunks of its output have not been written yet.
    ///
    /// - Parameter stopped: A reason if a failure of the provider counts like a stop, because it is not the provider's
    ///   fault. Otherwise `nil`.
    package mutating func returned(_ stopped: StopReason?) {
        if case .running = self { self = .returned(stopped) }
    }

    /// Records that the provider returned and that all chunks of its output are written. The next step is to record the
    /// end of the attempt.
    ///
    /// - Parameter own: A reason if a failure of the provider counts like a stop, because it is not the provider's
    ///   fault. Otherwise `nil`.
    /// - Returns: The reason why the attempt was stopped. The result is `nil` if the attempt was not stopped.
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

    /// Records that the store has written the end of the attempt, or has refused it permanently.
    package mutating func recorded() {
        switch self {
        case .abandoned(let reason, _): self = .abandoned(reason, standIn: nil)
        case .recording: self = .over
        case .journalling, .running, .stopping, .returned, .over: break
        }
    }

    /// Records that the store could not write the end of the attempt. The process keeps the end, to write it later.
    package mutating func recordingFailed() {
        change { recording in
            recording.failures += 1
            recording.isSuspended = true
        }
    }

    /// Continues the writing of the end, because the store can be written again. Returns whether the writing had been
    /// interrupted.
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
    /// Whether the engine records an end for an attempt that it abandoned for this reason.
    ///
    /// If so, the request continues or fails without a result of the provider. After a cancellation or a passed
    /// deadline, the store has already recorded the end, so the value is `false`.
    package var isRecordedWhenAbandoned: Bool {
        switch self {
        case .timedOut, .interrupted: true
        case .cancelled, .expired, .offline: false
        }
    }
}
