import Foundation
import Logging

extension AttemptTask.Parts {
    func end(
        of flight: QueuedFlight, startedAt: Date, endedAt: Date, reply: Reply, stopped: StopReason?
    ) -> AttemptEnd {
        let promised = registry.registration(of: flight.provider)?.responseType ?? .data
        let verdict = AttemptVerdict(
            reply.result, promised: promised, stopped: reply.isOutOfTime ? .expired : stopped, wasSent: reply.wasSent)
        let usage = usage(of: flight, reply, startedAt: startedAt)
        let memory = reply.memory ?? AttemptStream.Memory(of: flight)
        func situation(hasHandle: Bool) -> RetryPolicy.Situation {
            var situation = self.situation(
                of: flight, hasBegun: reply.hasBegun || memory.keptChunks > 0, startedAt: startedAt, endedAt: endedAt)
            situation.hasHandle = hasHandle
            return situation
        }
        // What follows where there is something to go on with, and where there is not.
        let outcome: (_ hasHandle: Bool) -> AttemptEnd.Outcome
        switch verdict.outcome {
        case .completed(let answer):
            let data = AIResponseData(
                requestID: flight.request.id, providerID: flight.provider, result: .success(answer.content),
                metadata: metadata(of: answer, flight), receivedAt: endedAt, usage: usage)
            outcome = { _ in .completed(data) }
        case .failed(let error):
            let jitter = jitter()
            outcome = {
                self.failed(with: error, flight, situation(hasHandle: $0), jitter: jitter, endedAt: endedAt)
            }
        case .expired:
            outcome = { _ in .expired }
        case .interrupted:
            let isUnknown = reply.wasSent && verdict.billing != .neverSent
            let error = stopped == .offline ? reply.error ?? .interrupted : .interrupted
            outcome = {
                situation(hasHandle: $0).interrupted(by: error, isUnknown: isUnknown)
            }
        }
        let billing = billing(of: reply, verdict, memory)
        var end = AttemptEnd(
            flight: flight.id, request: flight.request.id, provider: flight.provider, lifecycle: flight.lifecycle,
            outcome: outcome(memory.hasHandle), isStreaming: flight.request.streaming != nil,
            entersCache: flight.request.caching.keepsAnswer, work: flight.work,
            billing: reply.wasSent ? billing : .neverSent, usage: usage, isReserved: flight.isReserved,
            startedAt: startedAt, endedAt: endedAt)
        if let rest = reply.rest { end.rest = rest.value }
        end.forgetsHandle = memory.hasBegunAnew
        if memory.isUncertain, !end.outcome.isAnswer {
            // The store knows by the time that it takes this end what has become of the handle.
            end.otherwise = AttemptEnd.Otherwise(hasHandle: !memory.hasHandle, outcome(!memory.hasHandle))
        }
        return end
    }

    /// Whether the attempt may have been billed. One that went on with remembered work was not, unless its answer tells
    /// what that cost; one that has left work to go on with may have been, however it failed.
    private func billing(
        of reply: Reply, _ verdict: AttemptVerdict, _ memory: AttemptStream.Memory
    ) -> BillingState {
        if reply.usage == nil, memory.goesOn { return .neverSent }
        let least = memory.hasRemembered && reply.billing == .neverSent ? .maybeBilled : reply.billing
        return verdict.billing.rawValue < least.rawValue ? least : verdict.billing
    }

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
    /// known, unless it says so; nor of counts that cannot be.
    private func usage(of flight: QueuedFlight, _ reply: Reply, startedAt: Date) -> Usage {
        guard var used = reply.usage else { return Usage() }
        if used.isImpossible {
            // The answer is paid for, and is kept.
            logger.error(
                "A provider reported a negative usage or cost, which is not recorded. Correct the provider.",
                metadata: ["provider": "\(flight.provider)", "request": "\(flight.request.id)"])
            if let cost = used.costMicroDollars, cost < 0 { used.costMicroDollars = nil }
            if used.hasImpossibleCount { return Usage(costMicroDollars: used.costMicroDollars) }
        }
        let registered = registry.registration(of: flight.provider)
        let payee = CostModel.Payee(
            names: registered?.payeeNames ?? [flight.provider.rawValue],
            model: flight.request.model ?? registered?.defaultModel)
        var usage = used
        usage.costMicroDollars = spending.costs.cost(of: used, by: payee, at: startedAt)
        return usage
    }

    private func situation(
        of flight: QueuedFlight, hasBegun: Bool, startedAt: Date, endedAt: Date
    ) -> RetryPolicy.Situation {
        RetryPolicy.Situation(
            tries: flight.lifecycle.tries, maximumAttempts: flight.request.maximumAttempts,
            elapsed: max(.zero, .between(flight.triedSince ?? startedAt, endedAt)),
            remaining: flight.request.deadline.map { .between(endedAt, $0) },
            unknownOutcome: flight.request.unknownOutcome, mayRestart: flight.mayRestart(hasBegun: hasBegun))
    }

    private func failed(
        with error: AIServiceError, _ flight: QueuedFlight, _ known: RetryPolicy.Situation, jitter: Double,
        endedAt: Date
    ) -> AttemptEnd.Outcome {
        var situation = known
        let next = diversion(of: flight, after: error)
        situation.hasNext = next != nil
        var decision = retry.decision(after: error, in: situation, jitter: jitter)
        if situation.remaining != nil, !decision.isRetry {
            // Whether anybody has time left for another attempt is the store's to say, member by member.
            situation.remaining = nil
            decision = retry.decision(after: error, in: situation, jitter: jitter)
        }
        switch (decision, next) {
        case (.divert, let next?): return .diverted(error, to: next.hop, account: next.account)
        case (.fail, _), (.divert, nil): return .failed(error)
        case (.hold, _): return .held(error)
        case (.retry(let delay), _):
            return .postponed(
                error, until: endedAt.addingTimeInterval(delay / .seconds(1)),
                else: situation.mayDivert ? next : nil)
        }
    }

    private func diversion(of flight: QueuedFlight, after error: AIServiceError) -> AttemptEnd.Diversion? {
        guard let hop = FallbackChain.next(after: error, at: flight.provider, of: flight.request.fallback)
        else { return nil }
        let account = registry.registration(of: hop.provider)?.account
        return AttemptEnd.Diversion(to: hop, account: account ?? AccountID(rawValue: hop.provider.rawValue))
    }
}

extension RetryPolicy.Situation {
    /// What follows an attempt that was stopped by us or dead with us: what the provider made of it is as unknown. What
    /// is remembered goes on.
    ///
    /// - Parameter isUnknown: Whether the provider may have carried it out.
    fileprivate func interrupted(by error: AIServiceError, isUnknown: Bool) -> AttemptEnd.Outcome {
        if hasHandle { return .interrupted }
        if isUnknown, unknownOutcome == .hold { return .held(error) }
        return mayRestart ? .interrupted : .failed(.streamInterrupted)
    }
}

extension RetryPolicy.Decision {
    fileprivate var isRetry: Bool { if case .retry = self { true } else { false } }
}

extension QueuedFlight {
    /// Whether another attempt may follow one whose output readers may have seen.
    func mayRestart(hasBegun: Bool) -> Bool { !hasBegun || request.streaming?.allowsRestart != false }
}
