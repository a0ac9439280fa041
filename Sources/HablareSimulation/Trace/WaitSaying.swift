package import Hablare

/// The reason for waiting in a request's snapshot. Times are in nanoseconds of virtual time, if no clock has jumped.
package enum WaitSaying: Sendable, Hashable {
    /// The request waits in the queue of its provider.
    case queued
    /// No process has taken the request.
    case unclaimed
    /// The request waits for the call of another request for the same work.
    case following(Int32)
    /// The process that took the snapshot does not have the request's provider.
    case noProvider
    /// The last attempt failed.
    case backingOff(until: Int64)
    /// The account is paused.
    case rateLimited(until: Int64)
    /// The provider is paused because its calls fail.
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
