public import Foundation

/// A write to a store.
///
/// A store answers each write with one ``WriteReceipt``. It makes the ``StoreChange``s that the documentation of the
/// write's case lists, in the listed order. If no change is listed, or if the store refuses the write, it makes no
/// change.
public enum StoreWrite: Sendable {
    /// Registers a process that begins to work on the store.
    ///
    /// Receipt: ``WriteReceipt/owner(_:)``.
    indirect case registerOwner(OwnerRegistration)
    /// Extends the leases of a living process.
    ///
    /// Receipt: ``WriteReceipt/done``, or ``WriteReceipt/refused(_:)`` if the process is not registered.
    case renewOwner(OwnerID, until: Date)
    /// Retires a process that has ended. Breaks its leases, records its attempts in flight as lost, and removes its
    /// registration.
    ///
    /// Receipt: ``WriteReceipt/broken(flights:)``.
    ///
    /// Changes: first ``StoreChange/ownerRetired(_:)``. Then for each flight that the process held:
    /// ``StoreChange/flight(_:_:)``, and ``StoreChange/request(_:of:_:)`` for each request that failed with the flight.
    case retireOwner(OwnerID, at: Date)
    /// Adds a request with its flight.
    ///
    /// Receipt: ``WriteReceipt/submitted(_:)``, ``WriteReceipt/rejected(_:)`` or ``WriteReceipt/contentMissing(_:)``.
    ///
    /// Changes: ``StoreChange/submitted(_:_:)`` for a new request, or ``StoreChange/flight(_:_:)`` for a known request
    /// that became part of a job. At last ``StoreChange/uncached`` if the write found replaced or lost answers in the
    /// cache.
    case submit(Submission)
    /// Changes the state of a flight for its holder. The holder starts an attempt, or returns a lease without having
    /// sent the flight.
    ///
    /// Receipt: ``WriteReceipt/done`` or ``WriteReceipt/refused(_:)``.
    ///
    /// Change: ``StoreChange/flight(_:_:)``.
    indirect case advance(FlightID, FlightTransition, at: Date)
    /// Starts an attempt that counts towards budgets, for the flight's holder.
    ///
    /// If a budget refuses the attempt, the flight still changes its state. The receipt names the budget, nothing is
    /// reserved, and the holder must not send the attempt.
    ///
    /// Receipt: ``WriteReceipt/started(overBudget:)`` or ``WriteReceipt/refused(_:)``.
    ///
    /// Change: ``StoreChange/flight(_:_:)``.
    indirect case start(AttemptStart)
    /// Adds chunks to the output of an attempt in flight.
    ///
    /// Receipt: ``WriteReceipt/done`` or ``WriteReceipt/refused(_:)``.
    ///
    /// Change: ``StoreChange/appended(_:)``, unless the store already has all these chunks.
    indirect case append(ChunkGroup)
    /// Stores or deletes the resume handle of an attempt in flight.
    ///
    /// Receipt: ``WriteReceipt/done`` or ``WriteReceipt/refused(_:)``.
    indirect case remember(ResumeHandleWrite)
    /// Records the end of an attempt.
    ///
    /// Receipt: ``WriteReceipt/done`` or ``WriteReceipt/contentMissing(_:)``. ``WriteReceipt/refused(_:)`` if only the
    /// attempt's record in the ledger was written.
    ///
    /// Change: ``StoreChange/settled(_:)``, which includes everything that follows from the end.
    case settle(AttemptEnd)
    /// Cancels a request.
    ///
    /// Receipt: ``WriteReceipt/done``, ``WriteReceipt/unknownRequest`` or ``WriteReceipt/invalidState(_:)``.
    ///
    /// Changes: ``StoreChange/request(_:of:_:)``, and ``StoreChange/flight(_:_:)`` if its flight ended with it.
    case cancel(UUID, at: Date)
    /// Retries a failed or cancelled request, or a live request that is held or backs off, because a caller requested
    /// it. Removes a deadline that has passed.
    ///
    /// Receipt: ``WriteReceipt/done``, ``WriteReceipt/unknownRequest`` or ``WriteReceipt/invalidState(_:)``.
    ///
    /// Changes: ``StoreChange/request(_:of:_:)`` and ``StoreChange/flight(_:_:)``. The two changes name the flight that
    /// the request has afterwards, which may be a new flight.
    case retry(UUID, at: Date)
    /// Fails live requests whose deadline has passed. Fails at most `limit` requests, with the earliest deadline first.
    ///
    /// Receipt: ``WriteReceipt/done``.
    ///
    /// Changes: for each request ``StoreChange/request(_:of:_:)``, and ``StoreChange/flight(_:_:)`` if its flight ended
    /// with it. At last ``StoreChange/nextDeadline(_:)``.
    case expire(at: Date, limit: Int)
    /// Reserves permits to send calls.
    ///
    /// Receipt: ``WriteReceipt/permits(_:)``.
    indirect case reserve(PermitRequest, at: Date)
    /// Records facts that a process reports about an account, or lifts the account's pause.
    ///
    /// Receipt: ``WriteReceipt/done``.
    ///
    /// Change: ``StoreChange/account(_:pausedUntil:)`` if the pause changed.
    indirect case report(AccountReport, at: Date)
    /// Evicts a request's response. The record of the response stays. The content stays as long as another request of
    /// the flight keeps it.
    ///
    /// Receipt: ``WriteReceipt/done``, ``WriteReceipt/unknownRequest`` or ``WriteReceipt/invalidState(_:)``.
    ///
    /// Change: ``StoreChange/uncached`` if no other request keeps the content.
    case evict(UUID)
    /// Evicts unprotected responses that were received at or before a position. Evicts at most `limit` responses, with
    /// the oldest response first.
    ///
    /// Receipt: ``WriteReceipt/pruned(_:)``.
    ///
    /// Change: ``StoreChange/uncached`` if responses were evicted.
    indirect case prune(through: PrunePlan.Position, limit: Int)
    /// Pins a request's response, or unpins it. A pinned response is kept at any age.
    ///
    /// Receipt: ``WriteReceipt/done`` or ``WriteReceipt/unknownRequest``.
    case pin(UUID, Bool)
    /// Ends the protection of a response that was kept until its merge.
    ///
    /// Receipt: ``WriteReceipt/done`` or ``WriteReceipt/unknownRequest``.
    case merged(UUID)
    /// Removes answers from the cache that are unused for too long or exceed the limits.
    ///
    /// First records the dates in `noting`, at which readers used answers. Then removes the answers that were last used
    /// before `usedBefore`, and more answers while the cache exceeds its limits. Removes at most `limit` answers, with
    /// the least recently used answer first.
    ///
    /// Receipt: ``WriteReceipt/uncached(_:)``.
    ///
    /// Change: ``StoreChange/uncached`` if answers were removed.
    indirect case trimCache(CacheLimits, usedBefore: Date, noting: [FlightID: Date], limit: Int)
    /// Removes a selection of answers from the cache, at any age.
    ///
    /// Receipt: ``WriteReceipt/uncached(_:)``.
    ///
    /// Change: ``StoreChange/uncached`` if answers were removed.
    case uncache(CacheSelection)
    /// Erases a request with its prompt and content. Its attempts stay in the ledger.
    ///
    /// Receipt: ``WriteReceipt/done`` or ``WriteReceipt/unknownRequest``.
    ///
    /// Changes: ``StoreChange/request(_:of:_:)``, ``StoreChange/flight(_:_:)`` if its flight ended with it, and
    /// ``StoreChange/uncached``.
    case delete(UUID, at: Date)
}

/// The result of a ``StoreWrite`` after the write is durable.
public enum WriteReceipt: Sendable, Hashable {
    /// The write was made.
    case done
    /// The process is registered under this id.
    case owner(OwnerID)
    /// This number of flights lost their holder. Each of these flights waits again, is held, or failed.
    case broken(flights: Int)
    /// The request is on disk.
    case submitted(SubmissionReceipt)
    /// The attempt is on disk, and its maximum cost is reserved. If a budget refused the attempt, nothing is reserved.
    case started(overBudget: BudgetRefusal?)
    /// These permits were granted.
    case permits(PermitGrant)
    /// These responses were evicted.
    case pruned(Pruned)
    /// This number of answers left the cache.
    case uncached(Int)
    /// The store refused this write, but not the other writes of the commit.
    case rejected(AIServiceError)
    /// The flight is not in the state that the writer assumed. If the write is the end of an attempt, only the ledger
    /// records the end, and the outcome is discarded.
    case refused(FlightLifecycle.Refusal)
    /// The request is in this state, which does not allow the write.
    case invalidState(RequestLifecycle.State)
    /// No request has this UUID.
    case unknownRequest
    /// A content file that the write refers to has been removed as orphaned. Store the content again, and repeat the
    /// write.
    case contentMissing(ContentReference)
}
