public import Foundation

/// The one thing that can be written to a store. Each write has one ``WriteReceipt``.
public enum StoreWrite: Sendable {
    /// A process begins to work on the store. Receipt: ``WriteReceipt/owner(_:)``.
    indirect case registerOwner(OwnerRegistration)
    /// A process still lives.
    case renewOwner(OwnerID, until: Date)
    /// A process is gone: its leases are broken, lost attempts recorded, its registration removed.
    /// Receipt: ``WriteReceipt/broken(flights:)``.
    case retireOwner(OwnerID, at: Date)
    /// A request comes in, with its flight. Receipt: ``WriteReceipt/submitted(_:)`` or ``WriteReceipt/rejected(_:)``.
    case submit(Submission)
    /// The holder moves a flight: starts an attempt, or gives back an unsent lease.
    indirect case advance(FlightID, FlightTransition, at: Date)
    /// The holder starts an attempt that counts against budgets. The flight moves in any case; where the receipt,
    /// ``WriteReceipt/started(overBudget:)``, names a budget, nothing is reserved and the attempt is not to be sent.
    indirect case start(AttemptStart)
    /// The holder adds to the output of an attempt under way. Receipt: ``WriteReceipt/done`` or
    /// ``WriteReceipt/refused(_:)``.
    indirect case append(ChunkGroup)
    /// An attempt under way leaves a handle for the next one, or forgets it. Receipt: ``WriteReceipt/done`` or
    /// ``WriteReceipt/refused(_:)``.
    indirect case remember(AttemptMemory)
    /// An attempt ended.
    case settle(AttemptEnd)
    /// Somebody cancels a request. Receipt: ``WriteReceipt/cancelled(flight:token:)`` or a refusal.
    case cancel(UUID, at: Date)
    /// Somebody wants a failed or cancelled request tried again, or a live one that is held or backs off tried
    /// now. A deadline that has passed is dropped.
    case retry(UUID, at: Date)
    /// Ends the live requests whose deadline has come, at most so many, the earliest deadline first.
    /// Receipt: ``WriteReceipt/expired(_:next:)``.
    case expire(at: Date, limit: Int)
    /// A process wants to send calls. Receipt: ``WriteReceipt/permits(_:)``.
    indirect case reserve(PermitRequest, at: Date)
    /// A process learned something of an account.
    indirect case report(AccountReport, at: Date)
    /// The response's bytes are given up; that there was one stays.
    case evict(UUID)
    /// Gives up the unprotected responses that were received at a place or before, the oldest first, at most so many.
    /// Receipt: ``WriteReceipt/pruned(_:)``.
    indirect case prune(through: PrunePlan.Place, limit: Int)
    /// Somebody wants a request's response kept whatever its age, or no longer.
    case pin(UUID, Bool)
    /// The response of a request that was to be kept until its merge was merged.
    case merged(UUID)
    /// Answers drop out of the cache: those that were not used since a date, then, as long as there are more than the
    /// limits allow, those that were not used for longest; at most so many. Beforehand it is noted when some were used by
    /// readers. Receipt: ``WriteReceipt/uncached(_:)``.
    indirect case trimCache(CacheLimits, usedBefore: Date, noting: [FlightID: Date], limit: Int)
    /// Answers drop out of the cache, whatever their age. Receipt: ``WriteReceipt/uncached(_:)``.
    case uncache(CacheSelection)
    /// The request, its prompt and its content are erased; its attempts stay in the ledger.
    /// Receipt: ``WriteReceipt/cancelled(flight:token:)`` when it was live, else ``WriteReceipt/done``.
    case delete(UUID, at: Date)
}
