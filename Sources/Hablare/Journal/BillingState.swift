/// Whether a provider may have billed an attempt.
public enum BillingState: Int, Sendable, Hashable, CaseIterable, Codable {
    /// Not billed: it was never sent, or the provider refused it.
    case neverSent = 0
    /// Nobody knows.
    case maybeBilled = 1
    /// It was done.
    case billed = 2
    /// It was done, and its answer came too late to be used.
    case billedDiscarded = 3
}
