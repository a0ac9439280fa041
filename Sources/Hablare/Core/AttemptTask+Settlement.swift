import Foundation
import Logging

extension AttemptTask.Parts {
    func end(
        of flight: QueuedFlight, startedAt: Date, endedAt: Date, reply: Reply, stopped: StopReason?
    ) -> AttemptEnd {
        let promised = registry.registration(of: flight.provider)?.responseType ?? .data
        let classification = AttemptClassification(
            reply.result, promised: promised, stopped: reply.isOutOfTime ? .expired : stopped, wasSent: reply.wasSent)
        let usage = usage(of: flight, reply, startedAt: startedAt)
        let memory = reply.memory ?? AttemptStream.Memory(of: flight)
        func situation(hasHandle: Bool) -> RetryPolicy.Situation {
            var situation = self.situation(
                of: flight, hasBegun: reply.hasBegun || memory.keptChunks > 0, startedAt: startedAt, endedAt: endedAt)
            situation.hasHandle = hasHandle
            return situation
        }
        var kept: KeptAnswer?
        // The outcome with a resume handle, and without one.
        let outcome: (_ hasHandle: Bool) -> AttemptEnd.Outcome
        switch classification.outcome {
        case .completed(let answer):
            let data = AIResponseData(
                requestID: flight.request.id, providerID: flight.provider, result: .success(answer.content),
                metadata: metadata(of: answer, flight), receivedAt: endedAt, usage: usage)
            outcome = { _ in .completed(data) }
        case .failed(let failure):
            // The provider's answer, if it was of another kind than promised, or what its own failure keeps.
            if case .success(let answer) = reply.result { kept = KeptAnswer(answer.content) }
            kept = failure.keptAnswer ?? kept
            let error = failure.keptAnswer == nil ? failure : failure.keeping(nil)
            let jitter = jitter()
            outcome = {
                self.failed(with: error, flight, situation(hasHandle: $0), jitter: jitter, endedAt: endedAt)
            }
        case .expired:
            outcome = { _ in .expired }
        case .interrupted:
            let isUnknown = reply.wasSent && classification.billing != .neverSent
            let error = stopped == .offline ? reply.error ?? .interrupted : .interrupted
            outcome = {
                situation(hasHandle: $0).interrupted(by: error, isUnknown: isUnknown)
            }
        }
        let billing = billing(of: reply, classification, memory)
        var end = AttemptEnd(
            flight: flight.id, request: flight.request.id, provider: flight.provider, lifecycle: flight.lifecycle,
            outcome: outcome(memory.hasHandle), isStreaming: flight.request.streaming != nil,
            entersCache: flight.request.caching.keepsAnswer, work: flight.work,
            billing: reply.wasSent ? billing : .neverSent, usage: usage, isReserved: flight.isReserved,
            startedAt: startedAt, endedAt: endedAt)
        if let remainingChunks = reply.remainingChunks { end.remainingChunks = remainingChunks.value }
        end.kept = kept.map { kept in
            AIResponseData(
                requestID: flight.request.id, providerID: flight.provider, result: .success(kept.content),
                metadata: kept.metadata, receivedAt: endedAt, usage: usage)
        }
        end.forgetsHandle = memory.hasRestarted
        if memory.isUncertain, !end.outcome.isAnswer {
            // The process does not know whether the store has the handle. The store knows when it records this end.
            end.outcomeIfHandleChanged = AttemptEnd.OutcomeIfHandleChanged(
                hasHandle: !memory.hasHandle, outcome(!memory.hasHandle))
        }
        return end
    }

    /// Returns whether the attempt may have been billed. An attempt that resumed earlier work was billed only if its
    /// answer reports a cost. An attempt that stored a resume handle may have been billed, regardless of its failure.
    private func billing(
        of reply: Reply, _ classification: AttemptClassification, _ memory: AttemptStream.Memory
    ) -> BillingState {
        if reply.usage == nil, memory.isResumed { return .neverSent }
        let least = memory.hasStoredHandle && reply.billing == .neverSent ? .maybeBilled : reply.billing
        return classification.billing.rawValue < least.rawValue ? least : classification.billing
    }

    private func metadata(of answer: ProviderAnswer, _ flight: QueuedFlight) -> [String: String] {
        let ours = flight.request.caching.note
        if answer.metadata.isEmpty, flight.provider == flight.origin { return ours }
        var metadata = answer.metadata
        // The engine sets these keys. A provider's values for them are dropped.
        metadata[AIResponseData.cacheKey] = nil
        metadata[AIResponseData.cacheAgeKey] = nil
        metadata.merge(ours) { _, ours in ours }
        metadata.merge(trail(of: flight)) { _, ours in ours }
        return metadata
    }

    /// Returns the providers that were called, for the metadata of an answer. Empty if only one provider was called.
    /// The ledger contains the error of each provider.
    private func trail(of flight: QueuedFlight) -> [String: String] {
        guard flight.provider != flight.origin else { return [:] }
        let trail = FallbackChain.trail(from: flight.origin, to: flight.provider, of: flight.request.fallback)
        return ["fallback": trail.map(\.rawValue).joined(separator: " > ")]
    }

    /// Returns the usage of an attempt. Its cost is computed with the prices of the day on which the attempt was sent.
    /// If the attempt failed, its usage is unknown unless the failure reports a usage. Negative counts are replaced by
    /// zero.
    private func usage(of flight: QueuedFlight, _ reply: Reply, startedAt: Date) -> Usage {
        guard var used = reply.usage else { return Usage() }
        if used.isImpossible {
            // The answer is paid for, so it is kept.
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
            // The store decides, member by member, whether any has time left for another attempt.
            situation.remaining = nil
            decision = retry.decision(after: error, in: situation, jitter: jitter)
        }
        switch (decision, next) {
        case (.divert, let next?): return .diverted(error, to: next.target, account: next.account)
        case (.fail, _), (.divert, nil): return .failed(error)
        case (.hold, _): return .held(error)
        case (.retry(let delay), _):
            return .postponed(
                error, until: endedAt.addingTimeInterval(delay / .seconds(1)),
                else: situation.mayDivert ? next : nil)
        }
    }

    private func diversion(of flight: QueuedFlight, after error: AIServiceError) -> AttemptEnd.Diversion? {
        guard let target = FallbackChain.next(after: error, at: flight.provider, of: flight.request.fallback)
        else { return nil }
        let account = registry.registration(of: target.provider)?.account
        return AttemptEnd.Diversion(to: target, account: account ?? AccountID(rawValue: target.provider.rawValue))
    }
}

extension RetryPolicy.Situation {
    /// Returns the outcome of an attempt that this process stopped, or that ended with this process. In both cases the
    /// provider's result is unknown. If there is a resume handle (the service's id of the work), the next attempt
    /// continues the work.
    ///
    /// - Parameter isUnknown: Whether the provider may have done the work.
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
    /// Returns whether another attempt may begin the output again, although readers may have received output of this
    /// attempt.
    func mayRestart(hasBegun: Bool) -> Bool { !hasBegun || request.streaming?.allowsRestart != false }
}
