import Hablare

/// A state machine that decides which waiting texts share a call for vectors, and when the call is sent. It does no
/// I/O: it takes events with the time since a fixed moment, and returns actions.
///
/// Only texts of one group share a call. The texts of a group have the same model, dimensions and other settings. A
/// call is due in one of three cases:
///
/// - The call is full.
/// - No new text has arrived for a short time.
/// - The first text has waited for the maximum time.
///
/// A call that is due is sent as soon as the limits of concurrent calls and of calls per minute allow it. Texts that
/// arrive later wait for the next call.
///
/// If the service refuses a call with several texts, one of the texts may be the cause. The machine then sends the
/// shortest text alone. If the service also refuses this text, all texts have the same problem, and all of them fail.
/// If the service accepts this text, the machine sends the other texts in halves, and divides each refused half again,
/// until each refused text is alone. These smaller calls are sent one after another, in place of the first call.
struct EmbeddingBatches: Sendable {
    /// The number that identifies a text in the machine.
    typealias Ticket = Int

    /// The maximum sizes of calls, and the times at which calls are sent.
    struct Limits: Sendable {
        /// The maximum number of texts in a call.
        var texts: Int
        /// The maximum number of estimated tokens in a call. A text that has more tokens gets a separate call.
        var tokens: Int64
        /// The maximum number of concurrent calls.
        var calls: Int
        /// The time after which a single waiting text is sent, if no other text arrives.
        var quietAfterOne = Duration.milliseconds(10)
        /// The time after which several waiting texts are sent, if no other text arrives. The engine starts many
        /// attempts in one commit, so many texts arrive at once, and the next texts arrive after the next commit.
        var quietAfterSeveral = Duration.milliseconds(50)
        /// The maximum time for which a text waits if another call may be sent.
        var longestWait = Duration.seconds(1)
    }

    enum Action: Sendable, Hashable {
        /// Send a call with these texts.
        case send(call: Int, [Ticket])
        /// Cancel a call, because all its texts are cancelled.
        case stop(call: Int)
        /// End these texts with the failure of the call that has just ended.
        case fail([Ticket])
        /// Call ``timePassed(now:)`` at this time. This action replaces an earlier wake action.
        case wake(at: Duration)
    }

    /// How a call ended.
    enum Ending: Sendable, Hashable {
        /// The call was answered.
        case answered
        /// The service refused the call's content. The refusal costs nothing.
        case refused
        /// The call failed for a reason that does not concern its texts.
        case failed
    }

    private struct Text: Sendable {
        let tokens: Int64
        let arrivedAt: Duration
        /// The call in progress that contains the text.
        var call: Int?
    }

    private struct Group: Sendable {
        let name: ParameterValue
        var tickets: [Ticket] = []
        /// The number of tickets at the beginning of the list that are already in calls.
        var taken = 0
        /// The number of texts that still wait. `tokens` is the number of their tokens.
        var count = 0
        var tokens: Int64 = 0
        var newest = Duration.zero
    }

    /// A call in progress, with the smaller calls that follow it if the service refuses it.
    private struct Job: Sendable {
        var current: [Ticket]
        /// The number of the call's texts that are not cancelled.
        var live: Int
        /// Whether the call is the first call with its texts. If the service refuses such a call, any of its texts may
        /// be the cause.
        var isWhole = true
        /// The texts that wait for the result of the text that is sent alone.
        var untested: [Ticket] = []
        /// The texts of the further calls. The next call is the last element.
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

    /// Adds a text that arrived.
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

    /// Removes a text that was cancelled.
    ///
    /// - Returns: Whether the text was never sent, and the actions.
    mutating func cancelled(_ ticket: Ticket, now: Duration) -> (wasUnsent: Bool, actions: [Action]) {
        guard let text = texts.removeValue(forKey: ticket) else { return (false, []) }
        guard let call = text.call else {
            forget(ticket, of: text.tokens)
            return (true, sendDue(now))
        }
        jobs[call]?.live -= 1
        return (false, jobs[call]?.live == 0 ? [.stop(call: call)] : [])
    }

    /// Records that a call ended. If the call was answered, the caller has already ended the call's texts.
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

    /// Sends the calls that are due. The caller calls this method at the time of a wake action, or earlier.
    mutating func timePassed(now: Duration) -> [Action] {
        wakeAt = nil
        return sendDue(now)
    }

    /// Adopts the limit of calls per minute that the service reported.
    mutating func learned(callsPerMinute: Double) { pace.learned(perMinute: callsPerMinute) }

    // MARK: Decisions

    /// Sends the next smaller call of a job.
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

    /// Returns the time when the group's next call is due.
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

    /// Removes a text that waits. Its place in the list stays and is skipped later.
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

    /// Returns the two halves of a list. The first half is the last element, because it is sent next.
    private static func halves(of tickets: [Ticket]) -> [[Ticket]] {
        let middle = (tickets.count + 1) / 2
        return [Array(tickets[middle...]), Array(tickets[..<middle])].filter { !$0.isEmpty }
    }
}

/// The pace of calls: a maximum number of calls per minute. After a quiet time, some of these calls may be sent at once
/// (``/Hablare/RateLimit/burst``).
///
/// The engine's queue for an account counts requests, and many requests may share one call. Therefore this type limits
/// the calls of this process.
struct CallPace: Sendable, Hashable {
    private var interval: Duration?
    private let isEstimate: Bool
    private let burst: Duration
    /// The moment until which the rate is used up by the calls that were sent.
    private var usedUntil = Duration.zero

    /// Creates a pace. It has no limit if the rate has none.
    init(_ rate: RateLimit = RateLimit(requestsPerMinute: nil)) {
        interval = rate.requestsPerMinute.flatMap(Self.interval)
        isEstimate = rate.isEstimate
        burst = .seconds(60) * max(0, min(1, rate.burst))
    }

    /// The earliest time at which the next call may be sent.
    var next: Duration { interval == nil ? .zero : usedUntil - burst }

    mutating func sent(_ now: Duration) {
        guard let interval else { return }
        usedUntil = max(usedUntil, now) + interval
    }

    /// Adopts the rate that the service reports. If the current rate is an estimate, the reported rate replaces it. If
    /// the user has set the current rate, the reported rate replaces it only if it is lower.
    mutating func learned(perMinute: Double) {
        guard let reported = Self.interval(perMinute), isEstimate || reported > interval ?? .zero else { return }
        interval = reported
    }

    private static func interval(_ perMinute: Double) -> Duration? {
        perMinute.isFinite && perMinute > 0.001 ? .seconds(60 / perMinute) : nil
    }
}
