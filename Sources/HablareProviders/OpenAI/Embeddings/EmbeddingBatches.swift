import Hablare

/// Decides which waiting texts share a call for vectors, and when it is sent. Pure: it takes events with the time since
/// a fixed moment, and returns actions.
///
/// Texts of one group (model, dimensions and so on) may share a call. A call is sent when it is full, when no text has
/// arrived for a moment, or when its first text has waited long enough; and only if a call is free and the pace allows
/// it. Texts that arrive meanwhile wait for the next call.
///
/// If the service refuses a call of several texts, one of them may be the cause. The shortest text is then sent alone.
/// If it is refused, too, the cause is common, and all fail. Otherwise the others are sent in halves until each text
/// that is refused stands alone. The pieces are sent one after another, in place of the call.
struct EmbeddingBatches: Sendable {
    /// A text in the machine.
    typealias Ticket = Int

    /// The sizes and the moments of calls.
    struct Limits: Sendable {
        /// The maximum number of texts in a call.
        var texts: Int
        /// The maximum number of estimated tokens in a call. A text with more has a call of its own.
        var tokens: Int64
        /// The maximum number of calls at once.
        var calls: Int
        /// The time without a new text after which a single text is sent.
        var quietAfterOne = Duration.milliseconds(10)
        /// The time without a new text after which several texts are sent. The engine stores the starts of attempts
        /// together, so many texts arrive at once, and the next ones after a commit.
        var quietAfterSeveral = Duration.milliseconds(50)
        /// The maximum wait of a text while a call is free.
        var longestWait = Duration.seconds(1)
    }

    enum Action: Sendable, Hashable {
        /// Sends a call with these texts.
        case send(call: Int, [Ticket])
        /// Cancels a call, whose texts are all cancelled.
        case stop(call: Int)
        /// Ends these texts with the failure of the call that has just ended.
        case fail([Ticket])
        /// Reports the time when it has come. Replaces an earlier one.
        case wake(at: Duration)
    }

    /// The end of a call.
    enum Ending: Sendable, Hashable {
        /// It was answered.
        case answered
        /// The service refused its content, which costs nothing.
        case refused
        /// It failed for a reason that has nothing to do with its texts.
        case failed
    }

    private struct Text: Sendable {
        let tokens: Int64
        let arrivedAt: Duration
        /// The call under way that has it.
        var call: Int?
    }

    private struct Group: Sendable {
        let name: ParameterValue
        var tickets: [Ticket] = []
        /// The number of tickets that are taken already, at the beginning of the list.
        var taken = 0
        /// The number and the tokens of the texts that still wait.
        var count = 0
        var tokens: Int64 = 0
        var newest = Duration.zero
    }

    /// A call under way, and the texts to be sent in its place afterwards.
    private struct Job: Sendable {
        var current: [Ticket]
        /// The number of its texts that are not cancelled.
        var live: Int
        /// Whether it is the first call with its texts, which can be refused because of any of them.
        var isWhole = true
        /// The texts that wait for the result of a text that is sent alone.
        var untested: [Ticket] = []
        /// The further calls, the next one last.
        var pieces: [[Ticket]] = []
    }

    private let limits: Limits
    private var pace: CallPace
    private var texts: [Ticket: Text] = [:]
    private var groups: [Group] = []
    private var jobs: [Int: Job] = [:]
    private var lastCall = 0
    private var wakeAt: Duration?

    init(_ limits: Limits, pace: CallPace = CallPace()) {
        self.limits = limits
        self.pace = pace
    }

    // MARK: Events

    /// A text arrived.
    mutating func arrived(
        _ ticket: Ticket, tokens: Int64, in name: ParameterValue, now: Duration
    ) -> [Action] {
        texts[ticket] = Text(tokens: tokens, arrivedAt: now)
        let index = groups.firstIndex { $0.name == name } ?? groups.endIndex
        if index == groups.endIndex { groups.append(Group(name: name)) }
        groups[index].tickets.append(ticket)
        groups[index].count += 1
        groups[index].tokens += tokens
        groups[index].newest = now
        return sendDue(now)
    }

    /// A text was cancelled.
    ///
    /// - Returns: Whether it was never sent, and the actions.
    mutating func cancelled(_ ticket: Ticket, now: Duration) -> (wasUnsent: Bool, actions: [Action]) {
        guard let text = texts.removeValue(forKey: ticket) else { return (false, []) }
        guard let call = text.call else {
            forget(ticket, of: text.tokens)
            return (true, sendDue(now))
        }
        jobs[call]?.live -= 1
        return (false, jobs[call]?.live == 0 ? [.stop(call: call)] : [])
    }

    /// A call ended. The caller has ended the texts of a call that was answered.
    mutating func ended(_ call: Int, _ ending: Ending, now: Duration) -> [Action] {
        guard var job = jobs.removeValue(forKey: call) else { return [] }
        var failed: [Ticket] = []
        let tested = job.untested
        job.untested = []
        var isWhole = false
        switch ending {
        case _ where job.live == 0:
            // Its texts were cancelled, so its end says nothing about the others.
            isWhole = !tested.isEmpty
            job.pieces.append(tested)
        case .failed: failed = job.current + tested + job.pieces.flatMap(\.self)
        case .answered: if !tested.isEmpty { job.pieces += Self.halves(of: tested) }
        case .refused where job.current.count == 1: failed = job.current + tested
        case .refused where job.isWhole:
            let shortest = job.current.min { tokens(of: $0) < tokens(of: $1) }
            job.untested = job.current.filter { $0 != shortest && texts[$0] != nil }
            job.pieces.append([shortest].compactMap(\.self))
        case .refused: job.pieces += Self.halves(of: job.current)
        }
        if ending == .answered { for ticket in job.current { texts[ticket] = nil } }
        failed.removeAll { texts[$0] == nil }
        for ticket in failed { texts[ticket] = nil }
        let actions = failed.isEmpty ? [] : [Action.fail(failed)]
        return actions + goOn(job, isWhole: isWhole) + sendDue(now)
    }

    /// The time of a wake has come, or some other one.
    mutating func timePassed(now: Duration) -> [Action] {
        wakeAt = nil
        return sendDue(now)
    }

    /// The service reported its limit of calls per minute.
    mutating func learned(callsPerMinute: Double) { pace.learned(perMinute: callsPerMinute) }

    // MARK: Decisions

    /// Sends the next piece of a job.
    private mutating func goOn(_ old: Job, isWhole: Bool) -> [Action] {
        var job = old
        job.isWhole = isWhole
        while let piece = job.pieces.popLast() {
            job.current = piece.filter { texts[$0] != nil }
            if job.current.isEmpty, !job.untested.isEmpty {
                // The text that was to be sent alone was cancelled, so the others are a whole call again.
                job.current = job.untested.filter { texts[$0] != nil }
                job.untested = []
                job.isWhole = true
            }
            if !job.current.isEmpty { return [start(job)] }
        }
        return []
    }

    private mutating func start(_ job: Job) -> Action {
        lastCall += 1
        var job = job
        job.live = job.current.count
        for ticket in job.current { texts[ticket]?.call = lastCall }
        jobs[lastCall] = job
        return .send(call: lastCall, job.current)
    }

    private mutating func sendDue(_ now: Duration) -> [Action] {
        var actions: [Action] = []
        while jobs.count < limits.calls {
            let due = groups.indices.map { (index: $0, at: dueAt($0)) }.min { $0.at < $1.at }
            guard let due else { break }
            let start = max(due.at, pace.next)
            guard start <= now else {
                if wakeAt.map({ start < $0 }) ?? true {
                    wakeAt = start
                    actions.append(.wake(at: start))
                }
                break
            }
            pace.sent(now)
            actions.append(self.start(Job(current: take(from: due.index), live: 0)))
        }
        return actions
    }

    /// Returns the time when the group's next call is sent if one is free.
    private func dueAt(_ index: Int) -> Duration {
        let group = groups[index]
        guard let oldest = group.tickets[group.taken...].lazy.compactMap({ self.texts[$0] }).first else { return .zero }
        if group.count >= limits.texts || group.tokens >= limits.tokens { return oldest.arrivedAt }
        let quiet = group.count == 1 ? limits.quietAfterOne : limits.quietAfterSeveral
        return min(group.newest + quiet, oldest.arrivedAt + limits.longestWait)
    }

    private mutating func take(from index: Int) -> [Ticket] {
        var taken: [Ticket] = []
        var tokens: Int64 = 0
        while groups[index].taken < groups[index].tickets.count, taken.count < limits.texts {
            let ticket = groups[index].tickets[groups[index].taken]
            if let text = texts[ticket] {
                guard taken.isEmpty || tokens + text.tokens <= limits.tokens else { break }
                taken.append(ticket)
                tokens += text.tokens
                groups[index].count -= 1
                groups[index].tokens -= text.tokens
            }
            groups[index].taken += 1
        }
        tidy(index)
        return taken
    }

    /// Removes a text that waits. Its place in the list stays, and is skipped later.
    private mutating func forget(_ ticket: Ticket, of tokens: Int64) {
        guard let index = groups.firstIndex(where: { $0.tickets[$0.taken...].contains(ticket) }) else { return }
        groups[index].count -= 1
        groups[index].tokens -= tokens
        tidy(index)
    }

    private mutating func tidy(_ index: Int) {
        if groups[index].count == 0 {
            groups.remove(at: index)
        } else if groups[index].taken > groups[index].tickets.count / 2 {
            groups[index].tickets.removeFirst(groups[index].taken)
            groups[index].taken = 0
        }
    }

    private func tokens(of ticket: Ticket) -> Int64 { texts[ticket]?.tokens ?? .max }

    /// Returns the halves of a list, the first one last, because it is sent next.
    private static func halves(of tickets: [Ticket]) -> [[Ticket]] {
        let middle = (tickets.count + 1) / 2
        return [Array(tickets[middle...]), Array(tickets[..<middle])].filter { !$0.isEmpty }
    }
}

/// The pace of calls: at most so many per minute, of which a tenth may be sent at once after a quiet time. Pure.
///
/// The lane of an account counts requests. Texts that share a call are many requests and one call, so the calls are
/// paced here, for this process.
struct CallPace: Sendable, Hashable {
    private var interval: Duration?
    private let isEstimate: Bool
    private let burst: Duration
    /// The moment until which the calls so far use up the rate.
    private var usedUntil = Duration.zero

    /// Creates a pace; without a limit unless the rate has one.
    init(_ rate: RateLimit = RateLimit(requestsPerMinute: nil)) {
        interval = rate.requestsPerMinute.flatMap(Self.interval)
        isEstimate = rate.isEstimate
        burst = .seconds(60) * max(0, min(1, rate.burst))
    }

    /// The earliest time of the next call.
    var next: Duration { interval == nil ? .zero : usedUntil - burst }

    mutating func sent(_ now: Duration) {
        guard let interval else { return }
        usedUntil = max(usedUntil, now) + interval
    }

    /// Replaces an estimate by the rate that the service reports. A rate that the user set is only lowered.
    mutating func learned(perMinute: Double) {
        guard let reported = Self.interval(perMinute), isEstimate || reported > interval ?? .zero else { return }
        interval = reported
    }

    private static func interval(_ perMinute: Double) -> Duration? {
        perMinute.isFinite && perMinute > 0.001 ? .seconds(60 / perMinute) : nil
    }
}
