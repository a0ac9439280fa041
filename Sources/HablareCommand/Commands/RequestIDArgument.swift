import ArgumentParser
import Foundation
import Hablare

/// A request's UUID as it is given on the command line.
func parseRequestID(_ text: String) throws -> UUID {
    guard let id = UUID(uuidString: text) else {
        throw ValidationError(
            "It is not a UUID such as 01982f6e-6c4b-7d1e-9a3f-0123456789ab. See the ids with: hablare ps")
    }
    return id
}

extension UUID {
    /// The UUID as we print it: in lower case.
    var text: String { uuidString.lowercased() }
}

extension RequestSnapshot.WaitReason {
    /// One word for it.
    var word: String {
        switch self {
        case .queued: "queued"
        case .unclaimed: "unclaimed"
        case .noProvider: "no-provider"
        case .backingOff: "backing-off"
        case .rateLimited: "rate-limited"
        case .providerFailing: "provider-failing"
        case .held: "held"
        }
    }

    /// A sentence for it.
    func sentence(provider: ProviderID) -> String {
        switch self {
        case .queued(let ahead): "queued in a running process" + Self.ahead(ahead)
        case .unclaimed(let ahead): "no running process has taken it" + Self.ahead(ahead)
        case .noProvider: "there is no provider \(provider) here"
        case .backingOff(let until): "its last attempt failed; the next one comes at \(TimeText.moment(until))"
        case .rateLimited(let until): "the limit of \(provider) is used up until \(TimeText.moment(until))"
        case .providerFailing(let until):
            "\(provider) fails again and again, and is left alone until \(TimeText.moment(until))"
        case .held:
            "held: nobody knows whether its last attempt was carried out, and billed; retry, cancel or remove it"
        }
    }

    private static func ahead(_ count: Int?) -> String {
        count.map { ", \($0) before it" } ?? ""
    }
}
