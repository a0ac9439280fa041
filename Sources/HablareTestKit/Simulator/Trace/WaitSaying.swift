import Hablare

/// Why a request waits, as its snapshot says; times in virtual nanoseconds, if no clock jumped.
package enum WaitSaying: Sendable, Hashable {
    /// For its turn.
    case queued
    /// Its last attempt failed.
    case backingOff(until: Int64)
    /// The account is to be left alone.
    case rateLimited(until: Int64)
    /// The provider fails.
    case providerFailing(until: Int64)
    /// For somebody's word.
    case held

    init(_ reason: RequestSnapshot.WaitReason) {
        self =
            switch reason {
            case .queued, .following, .unclaimed, .noProvider, .suspended, .offline: .queued
            case .backingOff(let until): .backingOff(until: SimulationNames.time(until))
            case .rateLimited(let until): .rateLimited(until: SimulationNames.time(until))
            case .providerFailing(let until): .providerFailing(until: SimulationNames.time(until))
            case .held: .held
            }
    }
}
