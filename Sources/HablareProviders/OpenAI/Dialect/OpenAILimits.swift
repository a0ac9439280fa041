import Foundation
import HTTPTypes
import Hablare

/// The limits in the header fields of an OpenAI answer: `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`.
enum OpenAILimits {
    /// Returns the reported limits; `nil` if the fields report none.
    static func reported(in fields: HTTPFields) -> ReportedLimits? {
        // A local server never sends these fields; this check keeps its answers cheap.
        guard fields.contains(where: { $0.name.canonicalName.hasPrefix("x-ratelimit-") }) else { return nil }
        let requests = quota("requests", in: fields)
        let tokens = quota("tokens", in: fields)
        guard requests != nil || tokens != nil else { return nil }
        return ReportedLimits(requests: requests, units: tokens)
    }

    private static func quota(_ name: String, in fields: HTTPFields) -> ReportedLimits.Quota? {
        let limit = fields.amount(named: "x-ratelimit-limit-\(name)")
        let remaining = fields.amount(named: "x-ratelimit-remaining-\(name)")
        let reset = fields[named: "x-ratelimit-reset-\(name)"].flatMap { OpenAIDuration.duration($0) }
        guard limit != nil || remaining != nil || reset != nil else { return nil }
        return ReportedLimits.Quota(
            perMinute: limit.map { perMinute($0, remaining: remaining, resetsAfter: reset) }, remaining: remaining,
            resetsAfter: reset)
    }

    /// Returns the limit of requests per minute.
    ///
    /// The header has a limit per minute for most accounts, and a limit per day for small accounts, without saying
    /// which. The recovery time of one request shows it: with 10,000 requests a day, one request recovers in 8.64 s.
    /// With 10,000 requests a minute, one request recovers in 6 ms.
    private static func perMinute(_ limit: Double, remaining: Double?, resetsAfter reset: Duration?) -> Double {
        guard let remaining, let reset, remaining < limit else { return limit }
        let period = (reset / .seconds(1)) * limit / (limit - remaining)
        let day = 86_400.0
        return abs(period - day) < day / 10 ? limit / 1440 : limit
    }
}
