import Foundation
import Logging

/// Runs one attempt: journals it, sends it, records what came of it, announces that. Keeps no state of its own.
///
/// One object, because every attempt's task holds it: a copy would retain each of its parts.
final class AttemptRunner: Sendable {
    let journal: Journal
    let content: (any ContentStore)?
    let registry: ProviderRegistry
    let hub: StatusHub
    let answers: AnswerCache
    let streams: AttemptStream.Seams
    let date: @Sendable () -> Date
    let attemptTimeout: Duration
    let retry: RetryPolicy
    let jitter: @Sendable () -> Double
    let spending: Spending
    let observer: EngineObserver
    let logger: Logger

    init(
        journal: Journal, content: (any ContentStore)?, registry: ProviderRegistry, hub: StatusHub,
        answers: AnswerCache, streams: AttemptStream.Seams, date: @escaping @Sendable () -> Date,
        attemptTimeout: Duration,
        retry: RetryPolicy, jitter: @escaping @Sendable () -> Double, spending: Spending, observer: EngineObserver,
        logger: Logger
    ) {
        self.journal = journal
        self.content = content
        self.registry = registry
        self.hub = hub
        self.answers = answers
        self.streams = streams
        self.date = date
        self.attemptTimeout = attemptTimeout
        self.retry = retry
        self.jitter = jitter
        self.spending = spending
        self.observer = observer
        self.logger = logger
    }

    /// How long an attempt at a request may take.
    func timeout(of flight: QueuedFlight) -> Duration {
        flight.request.attemptTimeout ?? registry.registration(of: flight.provider)?.limits.attemptTimeout
            ?? attemptTimeout
    }

    /// Whether a provider rests while there is no network.
    func needsNetwork(_ provider: ProviderID) -> Bool { registry.registration(of: provider)?.needsNetwork ?? false }

    /// What a call costs in units of its account's limit; 0 where the limit has none.
    func cost(of request: AIRequest, for provider: ProviderID) -> Double {
        guard let registered = registry.registration(of: provider), registered.limits.rate?.unitsPerMinute != nil
        else { return 0 }
        let units = registered.provider.units(of: request)
        return units.isFinite ? max(0, units) : 0
    }

    /// What came of journalling an attempt.
    enum Start: Sendable {
        /// It is on disk, and may be sent.
        case started(QueuedFlight)
        /// The flight is not this process's any more.
        case refused
        /// The request has run out of time, as far as is known here; ``DeadlineWatch`` ends it if so.
        case outOfTime
    }

    /// Journals the attempt. Only what this returns may be sent.
    ///
    /// - Throws: ``AIServiceError`` of category storage; nothing may be sent then.
    @inline(__always)  // a frame less: what a task needed once it keeps as long as it runs
    func journalStart(of flight: QueuedFlight) async throws -> Start {
        let start: Boxed<PlannedStart>
        switch prepareStart(of: flight) {
        case .impossible(let reason): return reason
        case .write(let planned): start = planned
        }
        return startWritten(start, try await journal.commit(start.value.write))
    }

    /// What an attempt can cost, where a budget counts it.
    private struct Reservation: Sendable {
        let charges: [BudgetCharge]
        let date: Date
    }

    /// The start of an attempt as it is to be written, and the flight once it is.
    private struct PlannedStart: Sendable {
        let write: StoreWrite
        let started: QueuedFlight
        var reservation: Reservation?
    }

    private enum StartPlan: Sendable {
        case write(Boxed<PlannedStart>)
        case impossible(Start)
    }

    /// The start of an attempt, with what it can cost where a budget counts it.
    @inline(never)
    private func prepareStart(of flight: QueuedFlight) -> StartPlan {
        let date = date()
        if let deadline = flight.request.deadline, deadline <= date { return .impossible(.outOfTime) }
        let transition: FlightTransition
        do throws(FlightLifecycle.Refusal) {
            transition = try FlightTransition(of: flight.lifecycle) { flight throws(FlightLifecycle.Refusal) in
                try flight.attemptStarted(token: flight.token)
            }
        } catch {
            return .impossible(.refused)
        }
        let charges = charges(of: flight, at: date)
        let started = flight.started(as: transition.new, at: date)
        guard !charges.isEmpty else {
            return .write(Boxed(PlannedStart(write: .advance(flight.id, transition, at: date), started: started)))
        }
        let start = AttemptStart(flight: flight.id, transition: transition, startedAt: date, charges: charges)
        return .write(
            Boxed(
                PlannedStart(
                    write: .start(start), started: started, reservation: Reservation(charges: charges, date: date))))
    }

    /// The store answered to the start of an attempt. One that does not fit into its budget is started all the same, and
    /// fails unsent: so it is in the ledger.
    @inline(never)
    private func startWritten(_ start: Boxed<PlannedStart>, _ receipt: WriteReceipt) -> Start {
        let started = start.value.started
        guard let reserved = start.value.reservation else { return receipt == .done ? .started(started) : .refused }
        guard case .started(let refusal) = receipt else { return .refused }
        guard let refusal else { return .started(started.reserved) }
        let error = spending.error(for: refusal, of: reserved.charges, at: reserved.date)
        return .started(started.failing(with: error))
    }

    private func charges(of flight: QueuedFlight, at date: Date) -> [BudgetCharge] {
        // What cannot be sent costs nothing.
        guard !spending.budgets.isEmpty, flight.failure == nil,
            let registered = registry.registration(of: flight.provider)
        else { return [] }
        return spending.charges(of: flight.request, for: registered.provider, as: registered, at: date)
    }

    /// What came of sending an attempt.
    struct Reply: Sendable {
        var result: Result<ProviderAnswer, AIServiceError>
        /// What the provider said of its limits.
        var limits: Boxed<ReportedLimits>?
        /// Whether the provider was called.
        var wasSent = true
        /// Whether it was not, because there was no time left.
        var isOutOfTime = false
        /// Whether readers may have seen a part of the answer.
        var hasBegun = false
        /// What the provider answered, also where that could not be kept.
        var answer: ProviderAnswer?
        /// What the provider may have billed at least, whatever its result says.
        var billing = BillingState.neverSent

        /// What it failed of.
        var error: AIServiceError? {
            if case .failure(let error) = result { error } else { nil }
        }
    }

    /// What is to be done with an attempt that is on disk.
    private enum Preparation: Sendable {
        case call(AttemptCall)
        case leaveUnsent(Boxed<Reply>)
    }

    /// Sends the attempt, before the eyes of whoever watches it.
    @inline(never)
    func send(
        _ flight: QueuedFlight, _ stream: AttemptStream, watchedBy watch: AttemptWatch,
        cameBack: @Sendable (Reply) -> Void
    ) async -> Boxed<Reply> {
        watch.began(flight, type: registry.registration(of: flight.provider)?.responseType ?? .data)
        return await watch.sending { await send(flight, stream, cameBack: cameBack) }
    }

    /// Sends the attempt, unless it was stopped or its request ran out of time.
    ///
    /// A function of its own, as are those below that do not suspend, and with a reply of one word: whatever has a place in
    /// the frame of a suspended function takes memory for every call under way.
    ///
    /// - Parameter cameBack: Called with what the provider says when it comes back and something that it yielded may still
    ///   have to be journalled. What is returned may be worse: not all of it could be kept.
    @inline(never)
    func send(
        _ flight: QueuedFlight, _ stream: AttemptStream, cameBack: @Sendable (Reply) -> Void
    ) async -> Boxed<Reply> {
        let call: AttemptCall
        switch prepare(flight, stream) {
        case .leaveUnsent(let reply): return reply
        case .call(let prepared): call = prepared
        }
        switch call.cameBack(with: await call.provider.generate(call.asSeenByProvider), telling: cameBack) {
        case .over(let reply): return reply
        case .yielded(let reply): return await reply.ending(stream)
        }
    }

    /// The call of an attempt, announced as executing; or why there is none. In one piece without a suspension, because
    /// whatever is alive while the provider works is kept for every call under way.
    @inline(never)
    private func prepare(_ flight: QueuedFlight, _ stream: AttemptStream) -> Preparation {
        if let failure = flight.failure { return unsent(failure) }
        guard let provider = registry[flight.provider] else {
            return unsent(.providerNotFound(flight.provider, known: registry.ids))
        }
        guard !Task.isCancelled else { return unsent(.attemptCancelled) }
        let remaining = flight.request.deadline.map { Duration.between(date(), $0) }
        if let remaining, remaining <= .zero {
            return .leaveUnsent(Boxed(Reply(result: .failure(.deadlineExceeded), wasSent: false, isOutOfTime: true)))
        }
        hub.announce(.executing(progress: nil), of: flight.id, ledBy: flight.request.id)
        stream.sent(as: flight.lifecycle)
        return .call(
            AttemptCall(
                of: flight, to: provider, stream, hub: hub,
                timeout: min(timeout(of: flight), remaining ?? timeout(of: flight))))
    }

    private func unsent(_ failure: AIServiceError) -> Preparation {
        .leaveUnsent(Boxed(Reply(result: .failure(failure), wasSent: false)))
    }

    /// The stream of an attempt that is about to be made.
    func stream(of flight: QueuedFlight) -> AttemptStream {
        let type = registry.registration(of: flight.provider)?.responseType ?? .data
        return AttemptStream(of: flight, type: type, seams: streams)
    }

    /// The end of an attempt as it goes to the store.
    func end(of flight: QueuedFlight, startedAt: Date, reply: Reply, stopped: StopReason?) -> AttemptEnd {
        let promised = registry.registration(of: flight.provider)?.responseType ?? .data
        let verdict = AttemptVerdict(
            reply.result, promised: promised, stopped: reply.isOutOfTime ? .expired : stopped)
        let endedAt = date()
        let usage = usage(of: flight, reply, startedAt: startedAt)
        let outcome: AttemptEnd.Outcome =
            switch verdict.outcome {
            case .completed(let answer):
                .completed(
                    AIResponseData(
                        requestID: flight.request.id, providerID: flight.provider, result: .success(answer.content),
                        metadata: metadata(of: answer, flight), receivedAt: endedAt, usage: usage))
            case .failed(let error):
                failed(with: error, flight, hasBegun: reply.hasBegun, startedAt: startedAt, endedAt: endedAt)
            case .expired: .expired
            case .interrupted:
                // Stopped by us or dead with us: what the provider made of it is as unknown.
                if reply.wasSent, verdict.billing != .neverSent, flight.request.unknownOutcome == .hold {
                    .held(stopped == .offline ? reply.error ?? .interrupted : .interrupted)
                } else {
                    flight.mayRestart(hasBegun: reply.hasBegun) ? .interrupted : .failed(.streamInterrupted)
                }
            }
        let billing = verdict.billing.rawValue < reply.billing.rawValue ? reply.billing : verdict.billing
        return AttemptEnd(
            flight: flight.id, request: flight.request.id, provider: flight.provider, lifecycle: flight.lifecycle,
            outcome: outcome, isStreaming: flight.request.streaming != nil,
            entersCache: flight.request.caching.keepsAnswer, work: flight.work,
            billing: reply.wasSent ? billing : .neverSent, usage: usage, isReserved: flight.isReserved,
            startedAt: startedAt, endedAt: endedAt)
    }

    /// What the provider said beside the content, and what we have to say.
    private func metadata(of answer: ProviderAnswer, _ flight: QueuedFlight) -> [String: String] {
        let ours = flight.request.caching.note
        if answer.metadata.isEmpty, flight.provider == flight.origin { return ours }
        var metadata = answer.metadata
        // Ours to say, whatever the provider calls so.
        metadata[AIResponseData.cacheKey] = nil
        metadata[AIResponseData.cacheAgeKey] = nil
        metadata.merge(ours) { _, ours in ours }
        metadata.merge(trail(of: flight)) { _, ours in ours }
        return metadata
    }

    /// For the metadata of an answer: who was asked, where that was more than one. Why each failed is in the ledger.
    private func trail(of flight: QueuedFlight) -> [String: String] {
        guard flight.provider != flight.origin else { return [:] }
        let trail = FallbackChain.trail(from: flight.origin, to: flight.provider, of: flight.request.fallback)
        return ["fallback": trail.map(\.rawValue).joined(separator: " > ")]
    }

    /// What an attempt used, with what it cost by the prices of the day on which it was sent. Of a failure nothing is
    /// known.
    private func usage(of flight: QueuedFlight, _ reply: Reply, startedAt: Date) -> Usage {
        guard let used = reply.answer?.usage else { return Usage() }
        let names = registry.registration(of: flight.provider)?.payeeNames ?? [flight.provider.rawValue]
        let payee = CostModel.Payee(names: names, model: flight.request.model)
        var usage = used
        usage.costMicroDollars = spending.costs.cost(of: used, by: payee, at: startedAt)
        return usage
    }

    /// What a failure leads to: another attempt, somebody's word, or the end.
    private func failed(
        with error: AIServiceError, _ flight: QueuedFlight, hasBegun: Bool, startedAt: Date, endedAt: Date
    ) -> AttemptEnd.Outcome {
        var situation = RetryPolicy.Situation(
            tries: flight.lifecycle.tries, maximumAttempts: flight.request.maximumAttempts,
            elapsed: max(.zero, .between(flight.triedSince ?? startedAt, endedAt)),
            remaining: flight.request.deadline.map { .between(endedAt, $0) },
            unknownOutcome: flight.request.unknownOutcome, mayRestart: flight.mayRestart(hasBegun: hasBegun))
        let jitter = jitter()
        var decision = retry.decision(after: error, in: situation, jitter: jitter)
        if decision == .fail, situation.remaining != nil {
            // Whether anybody has time left for another attempt is the store's to say, member by member.
            situation.remaining = nil
            decision = retry.decision(after: error, in: situation, jitter: jitter)
        }
        switch decision {
        case .fail:
            // Another provider's answer would begin anew, too.
            guard flight.mayRestart(hasBegun: hasBegun),
                let hop = FallbackChain.next(after: error, at: flight.provider, of: flight.request.fallback)
            else {
                return .failed(error)
            }
            let account = registry.registration(of: hop.provider)?.account
            return .diverted(error, to: hop, account: account ?? AccountID(rawValue: hop.provider.rawValue))
        case .hold: return .held(error)
        case .retry(let delay): return .postponed(error, until: endedAt.addingTimeInterval(delay / .seconds(1)))
        }
    }

    /// Records the end of an attempt, its content first, and announces the outcome once it is on disk.
    ///
    /// - Parameter isLastTry: Whether an answer whose content cannot be stored ends its request with that error.
    /// - Returns: What was recorded; `nil` when the outcome was not needed. ``AttemptEnd/Outcome/interrupted`` when the
    ///   flight waits again.
    /// - Throws: ``AIServiceError`` of category storage when it could not be recorded.
    func settle(_ end: AttemptEnd, isLastTry: Bool = false) async throws -> AttemptEnd.Outcome? {
        var end = end
        for _ in 0..<3 {
            var stored = end
            do {
                if needsFile(end) { stored = try await filing(end) }
            } catch let error as AIServiceError where isLastTry {
                stored.outcome = .failed(error)
            }
            switch recorded(stored, from: end, try await journal.commit(.settle(stored))) {
            case .over(let outcome): return outcome
            case .fails(let error): end.outcome = .failed(error)
            case .again: continue
            }
        }
        throw AIServiceError(
            .storageFailed,
            "Content disappeared three times while it was being stored. Is something cleaning the folder?")
    }

    /// What came of the recording of an end.
    private enum Recorded: Sendable {
        /// This was recorded; or nothing, because nobody needed it.
        case over(AttemptEnd.Outcome?)
        /// It cannot be recorded, and the attempt fails of that.
        case fails(AIServiceError)
        case again
    }

    /// The store answered to the end as it was written, its content in a file where it is large.
    @inline(never)
    private func recorded(_ stored: AttemptEnd, from end: AttemptEnd, _ receipt: WriteReceipt) -> Recorded {
        switch receipt {
        case .done:
            announce(stored, to: [stored.request], isFinal: false)
            return .over(stored.outcome)
        case .ended(let finished, let goesOn):
            announce(stored, to: finished, isFinal: true)
            if goesOn { hub.announce(.pending, of: stored.flight, ledBy: stored.request) }
            switch stored.outcome {
            case .postponed(let error, _) where !goesOn: return .over(.failed(error))
            case .expired where goesOn: return .over(.interrupted)
            default: return .over(stored.outcome)
            }
        case .rejected(let error):
            return .fails(error)  // the answer cannot be stored, and somebody waits: that is the outcome
        case .contentMissing where isStored(end.outcome):
            // Streamed into its file, which was collected before the commit: nobody has the bytes any more.
            return .fails(.streamedContentLost)
        case .contentMissing:
            return .again  // collected between its being stored and the commit: store it again
        case let receipt:
            logger.debug("An attempt's outcome was not needed", metadata: ["receipt": "\(receipt)"])
            return .over(nil)
        }
    }

    /// Whether an answer is in a content file already.
    private func isStored(_ outcome: AttemptEnd.Outcome) -> Bool {
        guard case .completed(let data) = outcome, case .success(let content) = data.result else { return false }
        return content.body?.reference != nil
    }

    /// Whether an answer is to be put into a content file.
    @inline(never)
    private func needsFile(_ end: AttemptEnd) -> Bool {
        guard let content, case .completed(let data) = end.outcome, case .success(let answer) = data.result,
            let body = answer.body, body.reference == nil
        else { return false }
        return body.byteCount >= content.threshold(for: answer.type)
    }

    /// The end with its answer in a content file.
    private func filing(_ end: AttemptEnd) async throws -> AttemptEnd {
        guard let content, case .completed(let data) = end.outcome, case .success(let answer) = data.result,
            let body = answer.body
        else { return end }
        let reference = try await content.put(try body.read())
        var filed = end
        filed.outcome = .completed(
            AIResponseData(
                requestID: data.requestID, providerID: data.providerID,
                result: .success(answer.replacingBody(with: Body(reference, in: content))), metadata: data.metadata,
                receivedAt: data.receivedAt, usage: data.usage))
        return filed
    }

    /// - Parameter isFinal: Whether the end made them final, whatever comes of their flight.
    private func announce(_ end: AttemptEnd, to members: [UUID], isFinal: Bool) {
        if case .completed = end.outcome { answers.answerRecorded(end.work) }
        for id in members {
            switch end.outcome {
            case .completed(let data): hub.announce(.completed(data.addressed(to: id)), of: id)
            case .failed(let error): hub.announce(.failed(error), of: id)
            case .expired: hub.announce(.failed(.deadlineExceeded), of: id)
            case .postponed(let error, _) where isFinal: hub.announce(.failed(error), of: id)
            case .postponed, .diverted, .held, .interrupted: hub.announce(.pending, of: id)
            }
        }
        if isFinal || end.outcome.isFinal { observer.finished(members.count, with: end.outcome) }
    }
}

extension Boxed<AttemptRunner.Reply> {
    /// A provider's reply with what it yielded, once all of that is journalled.
    @inline(never)
    fileprivate func ending(_ stream: AttemptStream) async -> Self {
        let ending = await stream.end(keepsBody: value.isStreamed)
        return Boxed(value.with(ending, streams: stream.policy != nil))
    }
}

extension AttemptRunner.Reply {
    /// Whether the answer is what the provider yielded.
    var isStreamed: Bool { answer?.isStreamed == true }

    /// A provider's reply with what it yielded.
    func with(_ ending: AttemptStream.Ending, streams: Bool) -> Self {
        var reply = self
        reply.hasBegun = ending.hasBegun && streams
        reply.billing = answer != nil ? .billed : ending.hasBegun ? .maybeBilled : .neverSent
        // A failure of the provider's own says more than that its chunks could not be kept.
        if let failure = ending.failure, answer != nil {
            reply.result = .failure(failure)
        } else if var answer, let body = ending.body {
            answer.content = answer.content.replacingBody(with: body)
            reply.result = .success(answer)
        } else if answer != nil, ending.hasBegun {
            reply.result = .failure(.yieldedAndAnswered)
        }
        return reply
    }
}

extension DispatchCore.CallEnd {
    /// What a reply says beside its outcome.
    init(_ reply: AttemptRunner.Reply, stopped: StopReason?, now: Date) {
        switch (stopped, reply.result) {
        case (.timedOut, .failure): self.init(health: .failing)
        case (.cancelled, .failure), (.interrupted, .failure), (.expired, .failure), (.offline, .failure):
            self.init(health: .unknown)
        case (_, .success): self.init(health: .sound)
        case (nil, .failure(let error)):
            self.init(
                health: reply.wasSent ? Breaker.Health(error) : .unknown,
                pausedUntil: error.retryAfter.map { now.addingTimeInterval($0 / .seconds(1)) })
        }
        limits = reply.limits?.value
        if let pause = limits?.pause {
            let until = now.addingTimeInterval(pause / .seconds(1))
            pausedUntil = max(pausedUntil ?? until, until)
        }
    }
}

extension QueuedFlight {
    /// Whether another attempt may follow one whose output readers may have seen.
    func mayRestart(hasBegun: Bool) -> Bool { !hasBegun || request.streaming?.allowsRestart != false }
}

extension AIServiceError {
    static let yieldedAndAnswered = AIServiceError(
        .invalidResponse,
        "The provider yielded chunks and answered with content of its own. Answer with `ProviderAnswer(streamed:)`.")

    static let streamedContentLost = AIServiceError(
        .contentMissing,
        "The file into which the answer was streamed was removed before the answer was recorded. Retry the request.")

    static func providerNotFound(_ id: ProviderID, known: [ProviderID]) -> AIServiceError {
        let names = known.map(\.rawValue).joined(separator: ", ")
        return AIServiceError(
            .providerNotFound,
            "No provider is called \(id). Registered: \(names.isEmpty ? "none" : names). Register it where the engine is put together."
        )
    }
}
