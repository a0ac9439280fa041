public import Foundation

/// An event in the engine of this process, or one that the process learned from the store.
///
/// Events arrive in commit order, each after its change is on disk. Use them to show or log the engine's activity. To
/// wait for one request, use ``AIRequestManager/outcome(of:)``. No event carries a prompt. An event carries an answer
/// only if its documentation mentions the answer.
///
/// ```swift
/// for await event in manager.events() {
///     if case .held(let settlement) = event { show(settlement.end.request) }
/// }
/// ```
public enum EngineEvent: Sendable {
    /// A request was acknowledged. ``SubmissionReceipt/wasPresent`` is true if the store already had it.
    case submitted(UUID, to: ProviderID, SubmissionReceipt)
    /// A request was refused and is not in the store.
    case rejected(UUID, to: ProviderID, AIServiceError)
    /// Waiting flights of a provider were leased from the store. The dictionary holds one request of each flight.
    case claimed([FlightID: UUID], of: ProviderID)
    /// No request of a provider can be leased before a date, because all of its waiting requests back off.
    case idle(ProviderID, until: Date)
    /// Flights that were leased and not sent were returned to the store, where they wait.
    case released([FlightID])
    /// Requests of a provider wait until a date because of their account's limit, although the provider could take
    /// calls.
    case waiting(for: AccountID, until: Date)
    /// The start of an attempt is recorded on disk. The attempt is about to be sent. If a budget has too little left
    /// for it, it fails unsent instead.
    case started(UUID, FlightID, provider: ProviderID, attempt: Int)
    /// An attempt failed. Another one follows, not before a date.
    case retried(Settlement, until: Date)
    /// An attempt failed, and the next provider is called.
    case diverted(Settlement, to: ProviderID)
    /// An attempt ended, and its requests are held until an explicit retry. There are three reasons: its outcome is
    /// unknown, its work may have been billed and the provider has a resume handle for it, or too many attempts in a
    /// row were lost.
    case held(Settlement)
    /// An attempt was stopped or ran out of time, and its flight waits again.
    case interrupted(Settlement)
    /// An attempt ended its flight. The requests in ``Settlement/finished`` are final, with ``Settlement/status(of:)``,
    /// which contains the answer.
    case settled(Settlement)
    /// The end of an attempt was discarded, because another process holds its flight or the flight is over.
    case discarded(AttemptEnd)
    /// An account refuses every call until a person corrects it: the key is wrong, it has no credit, or its
    /// configuration cannot work.
    case refused(by: AccountID, provider: ProviderID, AIServiceError)
    /// An account that refused a call is suspended. See ``EngineConfiguration/suspendsRefusingAccounts``. Sent once for
    /// each account until ``AIRequestManager/resume(_:)``.
    case suspended(AccountID, AIServiceError)
    /// A request failed without an attempt of this process: its deadline passed, or its attempt was lost with its
    /// process.
    case failed(UUID, of: FlightID, AIServiceError)
    /// A request was cancelled through this manager, or was deleted while it was live.
    case cancelled(UUID)
    /// A caller retried a request that had failed, was cancelled, was held, or backed off.
    case revived(UUID)
    /// This process is registered with the store under this id.
    case registered(OwnerID)
    /// A process was deregistered while it held flights, usually because it died. The flights wait again, are held, or
    /// failed.
    case recovered(OwnerID, flights: Int)
    /// Another process moved a flight that this one runs or watches into this state.
    case moved(FlightID, FlightLifecycle)
    /// The store cannot be written. Nothing is started until it can.
    case storeFailed(AIServiceError)
    /// The store can be written again.
    case storeRecovered
}

extension EngineEvent {
    /// The recorded end of the attempt that the event is about, or `nil` for other events.
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
    /// Returns a stream of this manager's engine events from now on, whether or not an ``EngineService`` runs.
    ///
    /// Any number of readers may follow. A reader that falls behind by more than 1,024 events loses the oldest of them.
    /// To miss none, use ``EngineSeams/follower``. The stream ends when the reading task is cancelled, and when the
    /// manager is released.
    public func events() -> AsyncStream<EngineEvent> { engine.events() }

    /// Waits until the events of everything that this process has written to the store are delivered. A reader of the
    /// store may see the changes earlier.
    package func eventsTold() async { await journal.commitsTold() }
}
