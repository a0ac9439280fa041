/// What to do with a request when nobody knows whether its attempt was carried out, and billed.
///
/// No provider offers exactly-once billing: after a crash, a lost connection or an attempt that took too long the choice
/// is between perhaps paying twice and asking a person. The ledger says ``BillingState/maybeBilled`` of the attempt either way.
public enum UnknownOutcomePolicy: Int, Sendable, Hashable, Codable, CaseIterable {
    /// Try again: it is worth more than what a second call costs.
    case runAgain = 0
    /// Hold the request until somebody retries, cancels or deletes it. Not where the provider remembered the work
    /// (``ProviderCall/remember(_:)``): then the next attempt goes on with it, and nothing can be paid twice. It is
    /// held once the provider has found that it cannot go on, and says so with ``AIServiceError/workLost``, and where
    /// the attempts to go on are used up or another provider of the request's chain would begin anew: somebody's retry
    /// goes on with the work then.
    case hold = 1
}
