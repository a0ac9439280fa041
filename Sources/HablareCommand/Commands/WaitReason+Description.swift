import Foundation
import Hablare

extension RequestSnapshot.WaitReason {
    var word: String {
        switch self {
        case .queued: "queued"
        case .unclaimed: "unclaimed"
        case .following: "following"
        case .noProvider: "no-provider"
        case .suspended: "suspended"
        case .offline: "offline"
        case .backingOff: "backing-off"
        case .rateLimited: "rate-limited"
        case .providerFailing: "provider-failing"
        case .held: "held"
        }
    }

    /// The date at which the request stops waiting for this reason; `nil` if there is no such date.
    var until: Date? {
        switch self {
        case .backingOff(let date), .rateLimited(let date), .providerFailing(let date): date
        case .queued, .following, .unclaimed, .noProvider, .suspended, .offline, .held: nil
        }
    }

    func cell(at time: LocalTime) -> String {
        guard let until, until > time.now else { return word }
        return "\(word) until \(time.clock(until))"
    }

    func sentence(provider: ProviderID, at time: LocalTime) -> String {
        switch self {
        case .queued(let ahead): return "queued in a running process" + Self.ahead(ahead)
        case .unclaimed(let ahead): return "no running process has taken it yet" + Self.ahead(ahead)
        case .following(let leader):
            return "joined request \(leader.text), which is the same; one call answers both"
        case .noProvider: return "provider \(provider) is not available here"
        case .suspended: return "this process is suspended in the background; any other process can take it"
        case .offline: return "this process has no network, which \(provider) needs"
        case .backingOff(let date):
            guard date > time.now else { return "its last attempt failed; the next one is due" }
            return "its last attempt failed; backs off \(time.until(date))"
        case .rateLimited(let date):
            guard date > time.now else { return "\(provider) takes calls again" }
            return "\(provider) takes no more calls \(time.until(date))"
        case .providerFailing(let date):
            guard date > time.now else { return "\(provider) kept failing; one call tests whether it works again" }
            return "\(provider) keeps failing and gets no calls \(time.until(date))"
        case .held:
            return "held: the outcome of its last attempt is unknown, and it may have been billed; "
                + "retry, cancel or remove it"
        }
    }

    private static func ahead(_ count: Int?) -> String {
        switch count {
        case nil: ""
        case 0?: ", next in line"
        case let count? where count >= maximumAhead: ", \(count) or more before it"
        case let count?: ", \(count) before it"
        }
    }
}
