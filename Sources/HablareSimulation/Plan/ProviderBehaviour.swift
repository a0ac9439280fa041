import Hablare

/// The behaviour of a provider in one call. Times are in nanoseconds.
enum ProviderBehaviour: Sendable, Hashable {
    case answer(after: Int64)
    case fail(row: Int32, after: Int64)
    /// It never answers, until its task is cancelled.
    case stall
    /// It ignores cancellation and answers, perhaps long after it was abandoned.
    case deafAnswer(after: Int64)
    case deafFailure(row: Int32, after: Int64)
    /// It answers with another content type than it promised.
    case wrongType(after: Int64)
    /// It reports progress this many times, then answers.
    case progress(Int, every: Int64)
    /// It answers as soon as it is cancelled.
    case answerWhenCancelled
    /// It reports its limits, then answers or fails with a row.
    case limits(LimitsSaying, row: Int32?, after: Int64)
    /// It yields this many pieces, one after each pause, then answers or fails with a row. A deaf provider continues
    /// after a stop.
    case stream(Int, every: Int64, row: Int32?, isDeaf: Bool)
    /// It yields this many pieces, one after each pause, and answers. With 0 pieces it answers in one piece, after a
    /// pause. Later it reports progress and limits and yields further pieces, which belong to no answer.
    case talkative(pieces: Int, every: Int64)
    /// It begins work that outlives the call, remembers it, and yields its pieces, one after each pause. Then it
    /// answers or fails with a row. A call that is handed such work resumes it in every behaviour except failing and
    /// stalling. If `forgets` is set, a call that is handed work forgets it and fails, and a call that began work
    /// forgets it before failing.
    case remember(pieces: Int, every: Int64, row: Int32?, forgets: Bool)
    /// It ignores the work that it is handed. It yields this many pieces of an answer of its own, one after each pause,
    /// and answers. With 0 pieces it answers in one piece, after a pause.
    case ignore(pieces: Int, every: Int64)

    /// Whether it begins work that outlives the call.
    var remembers: Bool { if case .remember = self { true } else { false } }

    /// Whether its answer consists of the yielded pieces.
    var isStreaming: Bool {
        switch self {
        case .stream, .remember: true
        case .talkative(let pieces, _), .ignore(let pieces, _): pieces > 0
        default: false
        }
    }
}

extension ProviderBehaviour {
    /// The behaviour of a call that resumes work.
    struct Resumption: Sendable {
        var every: Int64
        var row: Int32?
        var forgets = false
        var isDeaf = false
    }

    /// The behaviour when the call is handed work, or `nil` when it does not resume it.
    var resumption: Resumption? {
        switch self {
        case .fail, .deafFailure, .stall, .ignore: nil
        case .limits(_, let row?, _) where row >= 0: nil
        case .answer(let time), .wrongType(let time), .progress(_, let time), .limits(_, _, let time),
            .talkative(_, let time):
            Resumption(every: time)
        case .deafAnswer(let time): Resumption(every: time, isDeaf: true)
        case .answerWhenCancelled: Resumption(every: 0)
        case .stream(_, let time, let row, _): Resumption(every: time, row: row)
        case .remember(_, let time, let row, let forgets): Resumption(every: time, row: row, forgets: forgets)
        }
    }
}

/// A provider's report of its limits, beside its answer.
package enum LimitsSaying: Sendable, Hashable {
    /// The number of calls allowed per minute.
    case perMinute(Double)
    /// Nothing remains until the quota is full again, after this many nanoseconds.
    case usedUp(reset: Int64)
    /// Invalid numbers.
    case nonsense

    var reported: ReportedLimits {
        switch self {
        case .perMinute(let rate): ReportedLimits(requests: ReportedLimits.Quota(perMinute: rate, remaining: 1))
        case .usedUp(let reset):
            ReportedLimits(requests: ReportedLimits.Quota(remaining: 0, resetsAfter: .nanoseconds(reset)))
        case .nonsense:
            ReportedLimits(
                requests: ReportedLimits.Quota(perMinute: .nan, remaining: -.infinity, resetsAfter: .seconds(-5)),
                units: ReportedLimits.Quota(perMinute: -1, remaining: .nan))
        }
    }
}
