import Hablare

/// The behaviour of a simulated provider in one call. Times are in nanoseconds.
enum ProviderBehaviour: Sendable, Hashable {
    case answer(after: Int64)
    case fail(row: Int32, after: Int64)
    /// The call returns only when its task is cancelled.
    case stall
    /// The call ignores cancellation and returns an answer, possibly long after the engine has abandoned the call.
    case deafAnswer(after: Int64)
    case deafFailure(row: Int32, after: Int64)
    /// The call returns an answer of another content type than the provider has declared.
    case wrongType(after: Int64)
    /// The call reports progress this number of times, and then returns an answer.
    case progress(Int, every: Int64)
    /// The call returns an answer when it is cancelled.
    case answerWhenCancelled
    /// The call reports limits. It then returns an answer, or fails with a row of ``ProviderFailure/rows``.
    case limits(LimitsSaying, row: Int32?, after: Int64)
    /// The call yields this number of pieces, with a pause before each piece. It then returns an answer, or fails with
    /// a row. If `isDeaf` is set, the call ignores cancellation.
    case stream(Int, every: Int64, row: Int32?, isDeaf: Bool)
    /// The call yields this number of pieces, with a pause before each piece, and returns the answer. With 0 pieces, it
    /// returns the answer as a whole after a pause. After the call has ended, the provider reports progress and limits
    /// and yields further pieces. These pieces must not become a part of any answer.
    case talkative(pieces: Int, every: Int64)
    /// The call begins work that continues after the call has ended. It stores a resume handle for the work, and yields
    /// the pieces of the work, with a pause before each piece. It then returns an answer, or fails with a row. A later
    /// call that receives this resume handle resumes the work, even if the later call has another behaviour. There are
    /// exceptions: a call that fails, never returns, or has the behaviour `ignore` does not resume the work. If
    /// `forgets` is set, a call that receives a handle removes the handle and fails. A call that has begun work removes
    /// its handle before it fails.
    case remember(pieces: Int, every: Int64, row: Int32?, forgets: Bool)
    /// The call ignores the work that it should resume. It yields this number of pieces of a different answer, with a
    /// pause before each piece, and returns this answer. With 0 pieces, it returns the answer as a whole after a pause.
    case ignore(pieces: Int, every: Int64)

    /// Whether the call begins work that continues after the call has ended.
    var remembers: Bool { if case .remember = self { true } else { false } }

    /// Whether the answer is the yielded pieces.
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

    /// The behaviour of the call if it receives work to resume, or `nil` if it does not resume the work.
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

/// The limits that a provider reports with its answer.
package enum LimitsSaying: Sendable, Hashable {
    /// The number of calls allowed per minute.
    case perMinute(Double)
    /// The quota is used up. It is full again after this number of nanoseconds.
    case usedUp(reset: Int64)
    /// Numbers that are not valid.
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
