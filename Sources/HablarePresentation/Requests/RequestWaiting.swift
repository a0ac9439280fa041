public import Foundation
public import Hablare

/// The reason why a request waits.
public struct RequestWaiting: Sendable, Hashable {
    /// The engine's reason; `nil` if it is unknown.
    public let reason: RequestSnapshot.WaitReason?

    /// Creates the reason for a view from a reason of the engine.
    public init(_ reason: RequestSnapshot.WaitReason?) {
        self.reason = reason
    }

    /// The number of requests ahead in the queue; `nil` if it was not counted.
    public var ahead: Int? {
        switch reason {
        case .queued(let ahead), .unclaimed(let ahead): ahead
        default: nil
        }
    }

    /// The time before which nothing is sent; `nil` if the reason has no such time.
    public var until: Date? {
        switch reason {
        case .backingOff(let date), .rateLimited(let date), .providerFailing(let date): date
        default: nil
        }
    }

    /// The kind of retry to offer now. A held request continues only after a retry. If the request waits before its
    /// next attempt, a retry ends that wait.
    public var retry: RetryOffer {
        switch reason {
        case .held: .mayRepeatWork
        case .backingOff: .now
        default: .none
        }
    }

    /// A stable name for the reason. Use it in a web view, or as a key for a translation.
    public var name: String {
        switch reason {
        case nil: "unknown"
        case .queued: "queued"
        case .following: "following"
        case .unclaimed: "unclaimed"
        case .noProvider: "no-provider"
        case .suspended: "suspended"
        case .offline: "offline"
        case .backingOff: "backing-off"
        case .rateLimited: "rate-limited"
        case .providerFailing: "provider-failing"
        case .held: "held"
        }
    }

    /// The reason as an English sentence for users.
    public var message: String {
        switch reason {
        case nil: "It is about to be sent."
        case .queued(let ahead), .unclaimed(let ahead): Self.position(behind: ahead)
        case .following: "The same was asked for before: that answer will be this one, too."
        case .noProvider: "Nobody here can answer it: its provider is not set up."
        case .suspended: "It is kept, and goes on when the app works again."
        case .offline: "It waits for the network."
        case .backingOff: "The last attempt failed. It is tried again by itself."
        case .rateLimited: "The provider's limit is used up. It is sent when there is room."
        case .providerFailing: "The provider has trouble, and is left alone for a while."
        case .held: "Nobody knows whether the last attempt was carried out, and billed. Retry or cancel it."
        }
    }

    private static func position(behind ahead: Int?) -> String {
        switch ahead {
        case nil: "It waits for its turn."
        case 0?: "It is the next one."
        case 1?: "One request is before it."
        case RequestSnapshot.WaitReason.maximumAhead?: "Thousands of requests are before it."
        case let ahead?: "\(ahead) requests are before it."
        }
    }
}
