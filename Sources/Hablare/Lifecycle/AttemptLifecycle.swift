/// One lease of a flight under which an attempt is made.
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

/// The life of an attempt in the process that makes it: from its journalling to the recording of its end.
///
/// A pure value, the counterpart of ``FlightLifecycle``, which says where the flight is for all processes. Methods are
/// events and return what follows from them.
///
/// ```
///                  ┌──────────────────────────┐
/// journalling ─► running ─► returned ──────► recording ─► over
///      │            ▼                       ▲  ▲
///      └────────► stopping ─────────────────┘  │
///                   └─► abandoned ─────────────┘
/// ```
///
/// An attempt is `returned` only while the last of its output is being journalled. One that was abandoned goes on where its
/// provider returns after all.
package enum AttemptLifecycle: Sendable, Hashable {
    /// Its start is on its way to the store, so nothing was sent. Where it is to be stopped, its provider has until the
    /// deadline from the store's answer on; it is not even called where the stop is seen in time.
    case journalling(stop: StopReason?)
    case running
    /// Its provider was told to stop, and has until the deadline.
    case stopping(StopReason)
    /// Its provider did not react in time, and its place went to the next attempt. `standIn`: an end that is recorded in
    /// its stead; `nil` where none is, or once it is recorded.
    case abandoned(StopReason, standIn: Recording?)
    /// Its provider returned, and the last of its output is being journalled. Nothing stops it any more.
    case returned(StopReason?)
    case recording(Recording)
    case over

    /// The recording of an end.
    package struct Recording: Sendable, Hashable {
        package var failures = 0
        package var isSuspended = false

        package init() {}
    }

    package enum Effect: Sendable, Hashable {
        case cancel
        /// Report ``AttemptLifecycle/deadlineReached(timeout:silence:isOffline:)`` after this time.
        case setDeadline(Duration)
        /// Give its place away, and record an end in its stead where its request is to go on.
        case abandon(StopReason)
    }

    /// Whether it takes a place among its provider's calls.
    package var holdsPlace: Bool {
        switch self {
        case .journalling, .running, .stopping, .returned: true
        case .abandoned, .recording, .over: false
        }
    }

    /// The recording under way.
    package var recording: Recording? {
        switch self {
        case .recording(let recording), .abandoned(_, standIn: let recording?): recording
        case .journalling, .running, .stopping, .abandoned, .returned, .over: nil
        }
    }

    /// Whether an end is about to be written: the process's registration has to stay until it is.
    package var isBeingRecorded: Bool {
        if case .returned = self { return true }
        return recording.map { !$0.isSuspended } ?? false
    }

    /// Whether its start is on disk, as far as the process was told.
    package var isJournalled: Bool { if case .journalling = self { false } else { true } }

    // MARK: Events

    /// Its start is on disk: from now on its time counts, or that of its stop.
    package mutating func journalled(timeout: Duration, grace: Duration) -> [Effect] {
        guard case .journalling(let stop) = self else { return [] }
        self = stop.map { .stopping($0) } ?? .running
        return [.setDeadline(stop == nil ? timeout : grace)]
    }

    /// It is to be stopped. The first reason counts; what has returned is not stopped.
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

    /// Its deadline has come.
    ///
    /// - Parameters:
    ///   - timeout: The time that it was given.
    ///   - silence: What is left of the time that a streaming provider may be silent; `nil` where that is over.
    ///   - isOffline: Whether there is no network, so that silence says nothing of the provider.
    ///   - grace: The time that a provider has to react.
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

    /// Its provider returned, and some of its output is still to be journalled.
    ///
    /// - Parameter stopped: Why it failed, where that is none of the provider's doing although nothing had stopped it.
    package mutating func returned(_ stopped: StopReason?) {
        if case .running = self { self = .returned(stopped) }
    }

    /// Its provider returned, and all of its output is journalled: its end is to be recorded now.
    ///
    /// - Parameter own: Why it failed, where that is none of the provider's doing although nothing had stopped it.
    /// - Returns: Why it was stopped, if it was.
    package mutating func ended(_ own: StopReason?) -> StopReason? {
        let reason: StopReason? =
            switch self {
            case .stopping(let reason), .abandoned(let reason, _): reason
            case .returned(let reason): reason
            case .running, .journalling(stop: nil): own
            case .journalling(stop: let reason?): reason
            case .recording, .over: nil  // it ended before
            }
        self = .recording(Recording())
        return reason
    }

    /// The store took the end under way, or refused it for good.
    package mutating func recorded() {
        switch self {
        case .abandoned(let reason, _): self = .abandoned(reason, standIn: nil)
        case .recording: self = .over
        case .journalling, .running, .stopping, .returned, .over: break
        }
    }

    /// The store could not take the end under way, which is kept.
    package mutating func recordingFailed() {
        change { recording in
            recording.failures += 1
            recording.isSuspended = true
        }
    }

    /// The store can be written again, so the end is on its way once more. Returns whether it was waiting for that.
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
    /// Whether an end is recorded in the place of an attempt that was abandoned after it: its request is to go on, or
    /// fails, without the provider's answer. After a cancellation or an expiry the store has recorded it already.
    package var isRecordedWhenAbandoned: Bool {
        switch self {
        case .timedOut, .interrupted: true
        case .cancelled, .expired, .offline: false
        }
    }
}
