public import Foundation

/// Something that happened in the engine of this process, or that it learned.
///
/// Events come in commit order, each after what it tells of is on disk. They are for those who show or log what an engine
/// does; to wait for one request, use ``AIRequestManager/outcome(of:)``. An event carries no prompt, and an answer only
/// where it says so.
///
/// ```swift
/// for await event in manager.events() {
///     if case .held(let settlement) = event { show(settlement.end.request) }
/// }
/// ```
public enum EngineEvent: Sendable {
    /// A request was acknowledged; ``SubmissionReceipt/wasPresent`` where the store had it before.
    case submitted(UUID, to: ProviderID, SubmissionReceipt)
    /// A request was refused, and is not in the store.
    case rejected(UUID, to: ProviderID, AIServiceError)
    /// Waiting requests were leased from the store, one for each flight.
    case claimed([FlightID: UUID], of: ProviderID)
    /// Nothing of a provider can be leased before a date: what waits for it backs off.
    case idle(ProviderID, until: Date)
    /// Flights were given back that were leased and not sent. They wait in the store.
    case released([FlightID])
    /// Requests of a provider wait although calls could be made: for the limit of its account, until a date.
    case waiting(for: AccountID, until: Date)
    /// An attempt is on disk and is about to be sent, or to fail unsent where it does not fit into a budget.
    case started(UUID, FlightID, provider: ProviderID, attempt: Int)
    /// An attempt failed, and is followed by another one, not before a date.
    case retried(Settlement, until: Date)
    /// An attempt failed, and another provider is asked.
    case diverted(Settlement, to: ProviderID)
    /// An attempt ended, and its requests are held until a person retries them: its outcome is unknown, its work may have
    /// been billed and is remembered by the provider, or too many attempts in a row were lost.
    case held(Settlement)
    /// An attempt was stopped or ran out of time, and its flight waits again.
    case interrupted(Settlement)
    /// An attempt ended its flight: ``Settlement/finished`` are final, with ``Settlement/status(of:)``, which has the answer.
    case settled(Settlement)
    /// The end of an attempt was not needed: another process has its flight, or the flight is over.
    case discarded(AttemptEnd)
    /// An account refuses every call until a person puts it right: a wrong key, no credit, or a configuration that cannot
    /// work.
    case refused(by: AccountID, provider: ProviderID, AIServiceError)
    /// An account that refused a call is suspended: see ``EngineConfiguration/suspendsRefusingAccounts``. Told once for
    /// each account, until ``AIRequestManager/resume(_:)``.
    case suspended(AccountID, AIServiceError)
    /// A request failed without an attempt of this process: its deadline passed, or its attempt died with its process.
    case failed(UUID, of: FlightID, AIServiceError)
    /// A request was cancelled through this manager, or was live and is deleted.
    case cancelled(UUID)
    /// Somebody had a request tried again: it had failed or was cancelled, was held, or backed off.
    case revived(UUID)
    /// This process is registered with the store as this.
    case registered(OwnerID)
    /// A process was deregistered while it held flights, usually because it is gone. They wait again, are held or failed.
    case recovered(OwnerID, flights: Int)
    /// Another process moved a flight that this one runs or watches, into this state.
    case moved(FlightID, FlightLifecycle)
    /// The store cannot be written. Nothing is started until it can.
    case storeFailed(AIServiceError)
    /// The store can be written again.
    case storeRecovered
}

extension EngineEvent {
    /// The recorded end of an attempt that the event tells of; `nil` where it tells of something else.
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
            self = .diverted(settlement, to: diversion.hop.provider)
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
    /// The events of this manager's engine, from now on, whether an ``EngineService`` runs or not.
    ///
    /// Any number may follow. A reader that falls behind by more than 1,024 events loses the oldest of them; a follower
    /// that must not miss any is ``EngineSeams/follower``. Ends when the reading task is cancelled, and with the manager.
    public func events() -> AsyncStream<EngineEvent> { engine.events() }

    /// Waits until every event is told of what this process has written to the store by now. A reader of the store may
    /// know of it before.
    package func eventsTold() async { await journal.commitsTold() }
}
