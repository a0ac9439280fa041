public import Foundation

/// An event in the engine of this process, or a change by another process that this process read from the store.
///
/// Events arrive in commit order. An event arrives after its change is on disk. Use events to show or log the engine's
/// activity. To wait for one request, use ``AIRequestManager/outcome(of:)`` instead. No event contains a prompt. An
/// event contains an answer only if its documentation mentions the answer.
///
/// ```swift
/// for await event in manager.events() {
///     if case .held(let settlement) = event { show(settlement.end.request) }
/// }
/// ```
public enum EngineEvent: Sendable {
    /// The store contains a submitted request. ``SubmissionReceipt/wasPresent`` is true if the store already contained
    /// the request before this submission.
    case submitted(UUID, to: ProviderID, SubmissionReceipt)
    /// A submitted request was refused and is not in the store.
    case rejected(UUID, to: ProviderID, AIServiceError)
    /// This process leased waiting flights of a provider from the store. A flight is the shared work of requests that
    /// are equal. A lease means that no other process executes the flight. For each flight, the dictionary contains the
    /// UUID of one of its requests.
    case claimed([FlightID: UUID], of: ProviderID)
    /// This process can lease no request of a provider before a date, because all waiting requests of the provider are
    /// in a backoff.
    case idle(ProviderID, until: Date)
    /// This process leased flights, did not send them, and returned them to the store, where they wait.
    case released([FlightID])
    /// Requests of a provider wait until a date because a limit of their account is used up. The provider itself has
    /// free slots.
    case waiting(for: AccountID, until: Date)
    /// The start of an attempt is recorded on disk. Usually the attempt is sent next. If a budget does not have enough
    /// left for the attempt, the attempt fails and is not sent.
    case started(UUID, FlightID, provider: ProviderID, attempt: Int)
    /// An attempt failed. Another attempt at the same provider follows on the date or later.
    case retried(Settlement, until: Date)
    /// An attempt failed, and the engine calls the next provider of the fallback chain.
    case diverted(Settlement, to: ProviderID)
    /// An attempt ended, and its requests are held until an explicit retry. There are three possible reasons:
    /// - The outcome of the attempt is unknown.
    /// - The work may have been billed, and the store has its resume handle (the service's id of the work).
    /// - Too many attempts in a row were lost with their processes.
    case held(Settlement)
    /// An attempt was stopped, for example because the engine shut down or a deadline passed. Its requests wait again,
    /// if they still have time.
    case interrupted(Settlement)
    /// The outcome of an attempt is final for its requests. The requests in ``Settlement/finished`` are final.
    /// ``Settlement/status(of:)`` returns the final status of each of these requests, which contains the answer.
    case settled(Settlement)
    /// The outcome of an attempt was discarded, because another process holds the flight or the flight has already
    /// ended.
    case discarded(AttemptEnd)
    /// An account refuses every call until a person corrects a problem: the key is wrong, the account has no credit, or
    /// its configuration cannot work.
    case refused(by: AccountID, provider: ProviderID, AIServiceError)
    /// An account that refused a call is suspended. See ``EngineConfiguration/suspendsRefusingAccounts``. Sent once for
    /// each account until ``AIRequestManager/resume(_:)``.
    case suspended(AccountID, AIServiceError)
    /// A request failed, but not at the end of an attempt of this process. Either the deadline of the request passed,
    /// or the attempt was lost because its process died.
    case failed(UUID, of: FlightID, AIServiceError)
    /// A request was cancelled through this manager, or was deleted while it was live.
    case cancelled(UUID)
    /// A caller retried a request that had failed, was cancelled, was held, or was backing off.
    case revived(UUID)
    /// This process has registered with the store under this id.
    case registered(OwnerID)
    /// A process that held flights was deregistered, usually because it died. Its flights wait again, are held, or have
    /// failed.
    case recovered(OwnerID, flights: Int)
    /// Another process changed the state of a flight that this process runs or watches. The event contains the new
    /// state.
    case moved(FlightID, FlightLifecycle)
    /// The store cannot be written. No attempt starts until the store can be written again.
    case storeFailed(AIServiceError)
    /// The store can be written again.
    case storeRecovered
}

extension EngineEvent {
    /// The recorded end of an attempt, if the event is about the end of an attempt. Otherwise `nil`.
    public var settlement: Settlement? {
        switch self {
        case .retried(let settlement, _), .diverted(let settlement, _), .held(let settlement),
            .interrupted(let settlement), .settled(let settlement):
            settlement
        default: nil
        }
    }

    package init(_ settlement: Settlement) {
        if settlement.flight.isSettled {
            self = .settled(settlement)
        } else if let diversion = settlement.diversion {
            self = .diverted(settlement, to: diversion.target.provider)
        } else if case .backingOff(let until) = settlement.flight.state {
            self = .retried(settlement, until: until)
        } else if case .held = settlement.flight.state {
            self = .held(settlement)
        } else {
            self = .interrupted(settlement)
        }
    }
}

extension AIRequestManager {
    /// Returns a stream of the events of this manager's engine, from now on. The stream also works while no
    /// ``EngineService`` runs.
    ///
    /// You can create and read any number of streams at the same time. If a reader is more than 1,024 events behind, it
    /// loses the oldest events. To receive every event, use ``EngineSeams/follower``. The stream ends when the reading
    /// task is cancelled, and when the manager is released.
    public func events() -> AsyncStream<EngineEvent> { engine.events() }

    /// Waits until the events of all earlier writes of this process are delivered. This is needed because a reader of
    /// the store may see the changes before their events arrive.
    package func eventsTold() async { await journal.commitsTold() }
}
