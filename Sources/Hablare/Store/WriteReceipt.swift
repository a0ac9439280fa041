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
