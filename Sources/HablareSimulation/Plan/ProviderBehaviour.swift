import Hablare

/// How a provider answers one call. Times in nanoseconds.
enum ProviderBehaviour: Sendable, Hashable {
    case answer(after: Int64)
    case fail(row: Int32, after: Int64)
    /// Never, until its task is cancelled.
    case stall
    /// It does not listen to cancellation, and answers, perhaps long after it was given up.
    case deafAnswer(after: Int64)
    case deafFailure(row: Int32, after: Int64)
    /// With content of another type than it promised.
    case wrongType(after: Int64)
    /// It reports progress so many times, then answers.
    case progress(Int, every: Int64)
    /// It answers although it was cancelled, as soon as it was.
    case answerWhenCancelled
    /// It says something of its limits, then answers, or fails with a row.
    case limits(LimitsSaying, row: Int32?, after: Int64)
    /// It yields so many pieces, one after each pause, then answers, or fails with a row. A deaf one goes on although
    /// it is told to stop.
    case stream(Int, every: Int64, row: Int32?, isDeaf: Bool)
    /// It yields so many pieces, one after each pause, and answers (with no pieces in one piece, after a pause). Later
    /// it talks on: of its progress, of its limits, and in further pieces, which are of no answer.
    case talkative(pieces: Int, every: Int64)
    /// It begins work that outlives the call, remembers it, and yields its pieces, one after each pause; then it answers,
    /// or fails with a row. A call that is handed such work goes on with it, however else it is to behave, unless it is
    /// to fail or to stall. Where it forgets, a call that is handed work forgets it and fails, and one that began it
    /// forgets it before it does.
    case remember(pieces: Int, every: Int64, row: Int32?, forgets: Bool)
    /// It does not look at what it is handed: it yields so many pieces of an answer of its own, one after each pause, and
    /// answers; with no pieces in one piece, after a pause.
    case ignore(pieces: Int, every: Int64)

    /// Whether it begins work that outlives the call.
    var remembers: Bool { if case .remember = self { true } else { false } }

    /// Whether its answer is what it yielded.
    var isStreaming: Bool {
        switch self {
        case .stream, .remember: true
        case .talkative(let pieces, _), .ignore(let pieces, _): pieces > 0
        default: false
        }
    }
}

extension ProviderBehaviour {
    /// How a call behaves that goes on with work.
    struct GoingOn: Sendable {
        var every: Int64
        var row: Int32?
        var forgets = false
        var isDeaf = false
    }

    /// How it behaves where it is handed work; `nil` where it does not get to it.
    var goingOn: GoingOn? {
        switch self {
        case .fail, .deafFailure, .stall, .ignore: nil
        case .limits(_, let row?, _) where row >= 0: nil
        case .answer(let time), .wrongType(let time), .progress(_, let time), .limits(_, _, let time),
            .talkative(_, let time):
            GoingOn(every: time)
        case .deafAnswer(let time): GoingOn(every: time, isDeaf: true)
        case .answerWhenCancelled: GoingOn(every: 0)
        case .stream(_, let time, let row, _): GoingOn(every: time, row: row)
        case .remember(_, let time, let row, let forgets): GoingOn(every: time, row: row, forgets: forgets)
        }
    }
}

/// What a provider says of its limits, beside its answer.
package enum LimitsSaying: Sendable, Hashable {
    /// So many calls a minute.
    case perMinute(Double)
    /// Nothing is left; it is full again after so many nanoseconds.
    case usedUp(reset: Int64)
    /// Numbers that no provider should say.
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
