public import Foundation

/// A write to a store.
///
/// A store answers each write with one ``WriteReceipt``. A write makes the ``StoreChange``s that are listed for its
/// case, in this order. If no change is listed, or if the store refuses the write, there is no change.
public enum StoreWrite: Sendable {
    /// Registers a process with the store.
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
    /// Changes: first ``StoreChange/ownerRetired(_:)``. After that, for each flight that the process held:
    /// ``StoreChange/flight(_:_:)``, and ``StoreChange/request(_:of:_:)`` for each request that failed with the flight.
    case retireOwner(OwnerID, at: Date)
    /// Adds a request with its flight (the shared work of equal requests).
    ///
    /// Receipt: ``WriteReceipt/submitted(_:)``, ``WriteReceipt/rejected(_:)`` or ``WriteReceipt/contentMissing(_:)``.
    ///
    /// Changes: ``StoreChange/submitted(_:_:)`` for a new request, or ``StoreChange/flight(_:_:)`` for a known request
    /// that became part of a job. The last change is ``StoreChange/uncached`` if the write replaced answers in the
    /// cache or found them lost.
    case submit(Submission)
    /// Changes the state of a flight for the process that holds it. The process starts an attempt, or returns the lease
    /// without having sent one.
    ///
    /// Receipt: ``WriteReceipt/done`` or ``WriteReceipt/refused(_:)``.
    ///
    /// Change: ``StoreChange/flight(_:_:)``.
    indirect case advance(FlightID, FlightTransition, at: Date)
    /// Starts an attempt that counts towards budgets, for the process that holds the flight.
    ///
    /// If a budget refuses the attempt, the flight nevertheless changes its state to executing. In this case the
    /// receipt names the budget, no amount is reserved, and the process must not send the attempt.
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
    /// Receipt: ``WriteReceipt/done`` or ``WriteReceipt/contentMissing(_:)``. ``WriteReceipt/refused(_:)`` means that
    /// only the attempt's record in the ledger was written.
    ///
    /// Change: ``StoreChange/settled(_:)``. It contains all effects of the end.
    case settle(AttemptEnd)
    /// Cancels a request.
    ///
    /// Receipt: ``WriteReceipt/done``, ``WriteReceipt/unknownRequest`` or ``WriteReceipt/invalidState(_:)``.
    ///
    /// Changes: ``StoreChange/request(_:of:_:)``, and ``StoreChange/flight(_:_:)`` if the flight ended with the
    /// request.
    case cancel(UUID, at: Date)
    /// Retries a request because a caller asked for it. The request failed, was cancelled, is held, or backs off. If
    /// the request's deadline has passed, the write removes the deadline.
    ///
    /// Receipt: ``WriteReceipt/done``, ``WriteReceipt/unknownRequest`` or ``WriteReceipt/invalidState(_:)``.
    ///
    /// Changes: ``StoreChange/request(_:of:_:)`` and ``StoreChange/flight(_:_:)``. The changes name the flight that the
    /// request has after the write. It may be a new flight.
    case retry(UUID, at: Date)
    /// Lets live requests fail whose deadline has passed. At most `limit` requests fail, those with the earliest
    /// deadlines first.
    ///
    /// Receipt: ``WriteReceipt/done``.
    ///
    /// Changes for each request: ``StoreChange/request(_:of:_:)``, and ``StoreChange/flight(_:_:)`` if the flight ended
    /// with the request. The last change is ``StoreChange/nextDeadline(_:)``.
    case expire(at: Date, limit: Int)
    /// Reserves permits to send calls within the rate limit of an account.
    ///
    /// Receipt: ``WriteReceipt/permits(_:)``.
    indirect case reserve(PermitRequest, at: Date)
    /// Records facts that a process reports about an account, or ends the account's pause.
    ///
    /// Receipt: ``WriteReceipt/done``.
    ///
    /// Change: ``StoreChange/account(_:pausedUntil:)`` if the pause changed.
    indirect case report(AccountReport, at: Date)
    /// Evicts a request's response. The record of the response, without its content, stays. If another request of the
    /// flight keeps the response, the content also stays.
    ///
    /// Receipt: ``WriteReceipt/done``, ``WriteReceipt/unknownRequest`` or ``WriteReceipt/invalidState(_:)``.
    ///
    /// Change: ``StoreChange/uncached`` if no other request keeps the content.
    case evict(UUID)
    /// Evicts unprotected responses in the order of their arrival, the oldest first, up to and including a position in
    /// this order. Evicts at most `limit` responses.
    ///
    /// Receipt: ``WriteReceipt/pruned(_:)``.
    ///
    /// Change: ``StoreChange/uncached`` if responses were evicted.
    indirect case prune(through: PrunePlan.Position, limit: Int)
    /// Pins a request's response, or unpins it. A pinned response is kept regardless of its age.
    ///
    /// Receipt: ``WriteReceipt/done`` or ``WriteReceipt/unknownRequest``.
    case pin(UUID, Bool)
    /// Ends the protection of a response that was kept until the app had copied it (``AIRequest/keepUntilMerged``).
    ///
    /// Receipt: ``WriteReceipt/done`` or ``WriteReceipt/unknownRequest``.
    case merged(UUID)
    /// Removes answers from the cache that have not been used for too long or exceed the limits.
    ///
    /// The write first records the dates in `noting`, on which readers used answers. It then removes the answers that
    /// were last used before `usedBefore`. While the cache exceeds its limits, it also removes other answers. It
    /// removes at most `limit` answers, the least recently used first.
    ///
    /// Receipt: ``WriteReceipt/uncached(_:)``.
    ///
    /// Change: ``StoreChange/uncached`` if answers were removed.
    indirect case trimCache(CacheLimits, usedBefore: Date, noting: [FlightID: Date], limit: Int)
    /// Removes a selection of answers from the cache, regardless of their age.
    ///
    /// Receipt: ``WriteReceipt/uncached(_:)``.
    ///
    /// Change: ``StoreChange/uncached`` if answers were removed.
    case uncache(CacheSelection)
    /// Erases a request with its prompt and content. The records of its attempts stay in the ledger.
    ///
    /// Receipt: ``WriteReceipt/done`` or ``WriteReceipt/unknownRequest``.
    ///
    /// Changes: ``StoreChange/request(_:of:_:)``, ``StoreChange/flight(_:_:)`` if the flight ended with the request,
    /// and ``StoreChange/uncached``.
    case delete(UUID, at: Date)
}

/// The result of a ``StoreWrite``. The store returns it after the write is durable.
public enum WriteReceipt: Sendable, Hashable {
    /// The write was made.
    case done
    /// The process is registered under this id.
    case owner(OwnerID)
    /// The process that was retired held this number of flights. Each of these flights now waits again, is held, or has
    /// failed.
    case broken(flights: Int)
    /// The request is on disk.
    case submitted(SubmissionReceipt)
    /// The attempt is on disk, and its maximum cost is reserved. If a budget refused the attempt, no amount is
    /// reserved.
    case started(overBudget: BudgetRefusal?)
    /// These permits were granted.
    case permits(PermitGrant)
    /// These responses were evicted.
    case pruned(Pruned)
    /// This number of answers was removed from the cache.
    case uncached(Int)
    /// The store refused this write and made the other writes of the commit.
    case rejected(AIServiceError)
    /// The flight is not in the state that the writer expected. If the write was the end of an attempt, the ledger has
    /// recorded the end, and the outcome was discarded.
    case refused(FlightLifecycle.Refusal)
    /// The request is in a state that does not allow the write.
    case invalidState(RequestLifecycle.State)
    /// No request has this UUID.
    case unknownRequest
    /// A content file that the write refers to no longer exists, because it was removed as orphaned. Store the content
    /// again, and then repeat the write.
    case contentMissing(ContentReference)
}
