import Foundation
import HTTPTypes
import Hablare

/// What the head of an answer of OpenAI's says of limits: `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`. Pure.
enum OpenAILimits {
    /// `nil` where it says nothing.
    static func reported(in fields: HTTPFields) -> ReportedLimits? {
        // Servers of one's own say nothing, with every answer.
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

    /// Small accounts have a limit of calls a day under the same header, which does not say so. It shows in how long what
    /// was used takes to come back: of 10,000 calls a day one takes 8.64 s, of 10,000 a minute 6 ms.
    private static func perMinute(_ limit: Double, remaining: Double?, resetsAfter reset: Duration?) -> Double {
        guard let remaining, let reset, remaining < limit else { return limit }
        let period = (reset / .seconds(1)) * limit / (limit - remaining)
        let day = 86_400.0
        return abs(period - day) < day / 10 ? limit / 1440 : limit
    }
}
