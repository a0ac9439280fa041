/// The key of an attempt: its flight, and the lease under which it runs.
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
/// This is a pure value. ``AttemptLifecycle`` is the state of an attempt in one process. ``FlightLifecycle`` is the
/// state of the flight for all processes. Each method applies an event and returns the resulting effects.
///
/// ```
///                  ┌──────────────────────────┐
/// journalling ─► running ─► returned ──────► recording ─► over
///      │            ▼                       ▲  ▲
///      └────────► stopping ─────────────────┘  │
///                   └─► abandoned ─────────────┘
/// ```
///
/// An attempt is `returned` only while the last part of its output is being journalled. If the provider of an abandoned
/// attempt returns later, the attempt moves to `recording`.
package enum AttemptLifecycle: Sendable, Hashable {
    /// The start is being written to the store, and no call has been sent. If the attempt is stopped now, there are two
    /// cases. If the engine sees the stop in time, it does not call the provider. Otherwise the provider has the grace
    /// period to return. The grace period begins when the store has written the start.
    case journalling(stop: StopReason?)
    /// The provider works.
    case running
    /// The provider has been asked to stop, and must return before the deadline.
    case stopping(StopReason)
    /// The provider did not react to the stop in time. The attempt's slot is free for the next attempt. `standIn` is
    /// the recording of an end that replaces the provider's result. It is `nil` if no such end needs to be recorded,
    /// and after it has been recorded.
    case abandoned(StopReason, standIn: Recording?)
    /// The provider returned, and the last part of its output is being journalled. The attempt can no longer be
    /// stopped.
    case returned(StopReason?)
    case recording(Recording)
    /// The end is recorded, or it did not need to be recorded.
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
        /// Free the attempt's slot. If the request is to continue, also record an end on behalf of the provider.
        case abandon(StopReason)
    }

    /// Whether the attempt occupies one of the slots for its provider's calls.
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

    /// Whether an end is about to be written. The process must stay registered until the end is written.
    package var isBeingRecorded: Bool {
        if case .returned = self { return true }
        return recording.map { !$0.isSuspended } ?? false
    }

    /// Whether the start is on disk, as far as this process knows.
    package var isJournalled: Bool { if case .journalling = self { false } else { true } }

    // MARK: Events

    /// Records that the attempt's start is on disk. The attempt's timeout begins now. If the attempt is already
    /// stopped, its grace period begins instead.
    package mutating func journalled(timeout: Duration, grace: Duration) -> [Effect] {
        guard case .journalling(let stop) = self else { return [] }
        self = stop.map { .stopping($0) } ?? .running
        return [.setDeadline(stop == nil ? timeout : grace)]
    }

    /// Stops the attempt. If it is stopped several times, the first reason counts. Has no effect on an attempt that has
    /// returned.
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
    ///   - silence: The remaining time for which a streaming provider may be silent. `nil` if this time has passed, or
    ///     if the attempt does not stream.
    ///   - isOffline: Whether there is no network. If so, silence is not the provider's fault.
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

    /// Records that the provider returned, and that a part of its output is still to be journalled.
    ///
    /// - Parameter stopped: The reason to treat a failure like a stop, because it is not the provider's fault.
    ///   Otherwise `nil`.
    package mutating func returned(_ stopped: StopReason?) {
        if case .running = self { self = .returned(stopped) }
    }

    /// Records that the provider returned and that all of its output is journalled. The attempt's end is recorded next.
    ///
    /// - Parameter own: The reason to treat a failure like a stop, because it is not the provider's fault. Otherwise
    ///   `nil`.
    /// - Returns: The reason why the attempt was stopped. `nil` if it was not stopped.
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

    /// Records that the store has written the end, or refused it permanently.
    package mutating func recorded() {
        switch self {
        case .abandoned(let reason, _): self = .abandoned(reason, standIn: nil)
        case .recording: self = .over
        case .journalling, .running, .stopping, .returned, .over: break
        }
    }

    /// Records that the store could not write the end. The end is kept for another try.
    package mutating func recordingFailed() {
        change { recording in
            recording.failures += 1
            recording.isSuspended = true
        }
    }

    /// Resumes the recording of the end, because the store can be written again. Returns whether the recording was
    /// suspended.
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
    /// Whether an end is recorded for an attempt that was abandoned for this reason.
    ///
    /// If so, the request continues or fails without the provider's answer. After a cancellation or a passed deadline
    /// no end is needed, because the store has already recorded it.
    package var isRecordedWhenAbandoned: Bool {
        switch self {
        case .timedOut, .interrupted: true
        case .cancelled, .expired, .offline: false
        }
    }
}
