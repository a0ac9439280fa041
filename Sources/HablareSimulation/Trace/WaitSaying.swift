package import Hablare

/// The wait reason in a request's snapshot. If no clock jumped, times are in virtual nanoseconds.
package enum WaitSaying: Sendable, Hashable {
    /// The request waits in the queue of its provider.
    case queued
    /// No process has claimed the request.
    case unclaimed
    /// The request waits for the call of another request for the same work.
    case following(Int32)
    /// No process that has looked at the request has the request's provider.
    case noProvider
    /// The last attempt failed.
    case backingOff(until: Int64)
    /// The account is paused.
    case rateLimited(until: Int64)
    /// Calls to the provider fail.
    case providerFailing(until: Int64)
    /// The request waits for an explicit retry.
    case held
    /// The request waits for the end of a suspension.
    case suspended(SuspensionReason)

    init(_ reason: RequestSnapshot.WaitReason) {
        self =
            switch reason {
            case .queued: .queued
            case .unclaimed: .unclaimed
            case .following(let id): .following(SimulationNames.number(id))
            case .noProvider: .noProvider
            case .suspended: .suspended(.background)
            case .offline: .suspended(.offline)
            case .backingOff(let until): .backingOff(until: SimulationNames.time(until))
            case .rateLimited(let until): .rateLimited(until: SimulationNames.time(until))
            case .providerFailing(let until): .providerFailing(until: SimulationNames.time(until))
            case .held: .held
            }
    }
}
