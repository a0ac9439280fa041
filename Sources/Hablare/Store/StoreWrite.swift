public import Foundation

/// The one thing that can be written to a store. Each write has one ``WriteReceipt``, and makes the ``StoreChange``s that
/// its case names; none where it names none.
public enum StoreWrite: Sendable {
    /// A process begins to work on the store. Receipt: ``WriteReceipt/owner(_:)``.
    indirect case registerOwner(OwnerRegistration)
    /// A process still lives.
    case renewOwner(OwnerID, until: Date)
    /// A process is gone: its leases are broken, lost attempts recorded, its registration removed.
    /// Receipt: ``WriteReceipt/broken(flights:)``. Changes: ``StoreChange/ownerRetired(_:)``, then for each flight that it
    /// held ``StoreChange/flight(_:_:)``, and ``StoreChange/request(_:of:_:)`` for each request that failed with it.
    case retireOwner(OwnerID, at: Date)
    /// A request comes in, with its flight. Receipt: ``WriteReceipt/submitted(_:)`` or ``WriteReceipt/rejected(_:)``.
    /// Changes: ``StoreChange/submitted(_:_:)``; of a request that was present and became part of a job
    /// ``StoreChange/flight(_:_:)``. Last ``StoreChange/uncached`` where it found that answers were replaced or lost.
    case submit(Submission)
    /// The holder moves a flight: starts an attempt, or gives back an unsent lease. Change: ``StoreChange/flight(_:_:)``.
    indirect case advance(FlightID, FlightTransition, at: Date)
    /// The holder starts an attempt that counts against budgets. The flight moves in any case; where the receipt,
    /// ``WriteReceipt/started(overBudget:)``, names a budget, nothing is reserved and the attempt is not to be sent.
    /// Change: ``StoreChange/flight(_:_:)``.
    indirect case start(AttemptStart)
    /// The holder adds to the output of an attempt under way. Receipt: ``WriteReceipt/done`` or
    /// ``WriteReceipt/refused(_:)``. Change: ``StoreChange/appended(_:)``.
    indirect case append(ChunkGroup)
    /// An attempt under way leaves a handle for the next one, or forgets it. Receipt: ``WriteReceipt/done`` or
    /// ``WriteReceipt/refused(_:)``.
    indirect case remember(AttemptMemory)
    /// An attempt ended. Receipt: ``WriteReceipt/done``, or ``WriteReceipt/refused(_:)`` where only its line in the ledger
    /// was written. Change: ``StoreChange/settled(_:)``, with all that follows from it.
    case settle(AttemptEnd)
    /// A request is cancelled. Receipt: ``WriteReceipt/done`` or a refusal. Changes:
    /// ``StoreChange/request(_:of:_:)``, and ``StoreChange/flight(_:_:)`` where its flight ended with it.
    case cancel(UUID, at: Date)
    /// Somebody wants a failed or cancelled request tried again, or a live one that is held or backs off tried
    /// now. A deadline that has passed is dropped. Changes: ``StoreChange/request(_:of:_:)`` and
    /// ``StoreChange/flight(_:_:)``, of the flight of which it is a member then.
    case retry(UUID, at: Date)
    /// Ends the live requests whose deadline has come, at most so many, the earliest deadline first. Changes: for each
    /// request ``StoreChange/request(_:of:_:)``, and ``StoreChange/flight(_:_:)`` where its flight ended with it; last
    /// ``StoreChange/nextDeadline(_:)``.
    case expire(at: Date, limit: Int)
    /// A process wants to send calls. Receipt: ``WriteReceipt/permits(_:)``.
    indirect case reserve(PermitRequest, at: Date)
    /// A process learned something of an account, or lifts its pause. Change: ``StoreChange/account(_:pausedUntil:)`` where
    /// its pause is another one then.
    indirect case report(AccountReport, at: Date)
    /// The response's bytes are given up; that there was one stays. Change: ``StoreChange/uncached`` with the last member
    /// that keeps them.
    case evict(UUID)
    /// Gives up the unprotected responses that were received at a place or before, the oldest first, at most so many.
    /// Receipt: ``WriteReceipt/pruned(_:)``. Change: ``StoreChange/uncached`` where there were any.
    indirect case prune(through: PrunePlan.Place, limit: Int)
    /// Somebody wants a request's response kept whatever its age, or no longer.
    case pin(UUID, Bool)
    /// The response of a request that was to be kept until its merge was merged.
    case merged(UUID)
    /// Answers drop out of the cache: those that were not used since a date, then, as long as there are more than the
    /// limits allow, those that were not used for longest; at most so many. Beforehand it is noted when some were used by
    /// readers. Receipt: ``WriteReceipt/uncached(_:)``. Change: ``StoreChange/uncached`` where there were any.
    indirect case trimCache(CacheLimits, usedBefore: Date, noting: [FlightID: Date], limit: Int)
    /// Answers drop out of the cache, whatever their age. Receipt: ``WriteReceipt/uncached(_:)``. Change:
    /// ``StoreChange/uncached`` where there were any.
    case uncache(CacheSelection)
    /// The request, its prompt and its content are erased; its attempts stay in the ledger. Changes:
    /// ``StoreChange/request(_:of:_:)``, ``StoreChange/flight(_:_:)`` where its flight ended with it, and
    /// ``StoreChange/uncached``.
    case delete(UUID, at: Date)
}

/// What came of a ``StoreWrite``, once it is durable.
public enum WriteReceipt: Sendable, Hashable {
    /// Written.
    case done
    /// The process is registered under this id.
    case owner(OwnerID)
    /// So many flights lost their holder: they wait again, or are held.
    case broken(flights: Int)
    /// The request is on disk.
    case submitted(SubmissionReceipt)
    /// The attempt is on disk, and what it can cost is reserved; or it does not fit into this budget, and nothing is.
    case started(overBudget: BudgetRefusal?)
    /// What was granted.
    case permits(PermitGrant)
    /// These responses were given up.
    case pruned(Pruned)
    /// So many answers dropped out of the cache.
    case uncached(Int)
    /// The row was refused; the others of the commit were not.
    case rejected(AIServiceError)
    /// The flight is not what the writer believed. For the end of an attempt: it is in the ledger, discarded.
    case refused(FlightLifecycle.Refusal)
    /// The request is in this state, which does not allow the write.
    case invalidState(RequestLifecycle.State)
    /// No request has that UUID.
    case unknownRequest
    /// A content file that the write refers to was collected meanwhile: store the content and write again.
    case contentMissing(ContentReference)
}
