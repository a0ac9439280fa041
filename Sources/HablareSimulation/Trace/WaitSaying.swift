package import Hablare

/// Why a request waits, as its snapshot says; times in virtual nanoseconds, if no clock jumped.
package enum WaitSaying: Sendable, Hashable {
    /// For its turn.
    case queued
    /// Nobody has taken it.
    case unclaimed
    /// For the call of another request for the same work.
    case following(Int32)
    /// Nobody who looked has its provider.
    case noProvider
    /// Its last attempt failed.
    case backingOff(until: Int64)
    /// The account is to be left alone.
    case rateLimited(until: Int64)
    /// The provider fails.
    case providerFailing(until: Int64)
    /// For somebody's word.
    case held
    /// For the end of a rest.
    case resting(SuspensionReason)

    init(_ reason: RequestSnapshot.WaitReason) {
        self =
            switch reason {
            case .queued: .queued
            case .unclaimed: .unclaimed
            case .following(let id): .following(SimulationNames.number(id))
            case .noProvider: .noProvider
            case .suspended: .resting(.background)
            case .offline: .resting(.offline)
            case .backingOff(let until): .backingOff(until: SimulationNames.time(until))
            case .rateLimited(let until): .rateLimited(until: SimulationNames.time(until))
            case .providerFailing(let until): .providerFailing(until: SimulationNames.time(until))
            case .held: .held
            }
    }
}
