import Foundation
import Metrics
import Tracing

/// Looks on while an engine works, as far as anybody takes its metrics and spans. Changes nothing and decides nothing.
struct EngineObserver: Sendable {
    let meters: EngineMeters?
    let tracer: EngineTracer?
    let lanes: LaneGauges?
    let clock: EngineClock
    let date: @Sendable () -> Date

    init(_ seams: EngineSeams, registry: ProviderRegistry) {
        clock = seams.clock
        date = seams.date
        meters = EngineMeters(seams.observation.metrics, registry: registry, clock: seams.clock)
        tracer = EngineTracer(seams.observation.tracer, date: seams.date)
        lanes = meters.map(LaneGauges.init)
    }

    /// What watches an attempt; `nil` where nobody takes what it sees.
    func watch(_ flight: QueuedFlight) -> AttemptWatch? {
        meters == nil && tracer == nil ? nil : AttemptWatch(flight, self)
    }

    // MARK: Submissions

    /// Carries out the submission of one request, within a span where somebody traces.
    func submitting(
        _ request: AIRequest, to provider: ProviderID, _ body: () async throws -> SubmissionReceipt
    ) async throws -> SubmissionReceipt {
        guard let tracer else { return try await body() }
        return try await tracer.submitting(to: provider, body) { receipt, attributes in
            attributes[SpanNames.model] = request.model
            attributes[SpanNames.request] = receipt.id.uuidString.lowercased()
            attributes[SpanNames.flight] = receipt.flight.rawValue
            attributes[SpanNames.joined] = receipt.hasJoined
            attributes[SpanNames.present] = receipt.wasPresent
            attributes[SpanNames.answered] = receipt.isAnswered
        }
    }

    /// Carries out the submission of a batch, within one span where somebody traces.
    func submitting(
        _ batch: [AIRequest], to provider: ProviderID, _ body: () async throws -> [SubmissionReceipt]
    ) async throws -> [SubmissionReceipt] {
        guard let tracer else { return try await body() }
        return try await tracer.submitting(to: provider, body) { receipts, attributes in
            attributes[SpanNames.batchCount] = receipts.count
        }
    }

    /// A request is on disk.
    func submitted(_ receipt: SubmissionReceipt, to provider: ProviderID) {
        guard let meters = meters?.provider(provider) else { return }
        switch (receipt.wasPresent, receipt.isAnswered, receipt.hasJoined) {
        case (true, _, _): meters.present.increment()
        case (_, true, _):
            meters.answered.increment()
            self.meters?.completed.increment()
        case (_, _, true): meters.joined.increment()
        default: meters.submitted.increment()
        }
    }

    /// The response cache was asked for a provider's answer.
    func cacheLookedUp(for provider: ProviderID, isHit: Bool) {
        guard let meters = meters?.provider(provider) else { return }
        (isHit ? meters.cacheHits : meters.cacheMisses).increment()
    }

    // MARK: Ends

    /// Responses past the limits were given up.
    func gaveUp(_ pruned: Pruned) {
        meters?.responsesPruned.increment(by: pruned.count)
        meters?.prunedBytes.increment(by: pruned.bytes)
    }

    /// Calls were taken over from a process that is gone.
    func recovered(_ flights: Int) {
        meters?.flightsRecovered.increment(by: flights)
    }

    /// Counts the ends among the changes that a commit of this process made.
    func committed(_ changes: [StoreChange]) {
        guard let meters else { return }
        for change in changes {
            switch change {
            case .settled(let settlement): settled(settlement, meters)
            case .request(_, of: _, .failed(let error?)):
                (error.code == .deadlineExceeded ? meters.expired : meters.failed).increment()
            case .request(_, of: _, .cancelled): meters.cancelled.increment()
            default: break
            }
        }
    }

    /// Counts what follows an attempt's end, and the requests that became final with it.
    private func settled(_ settlement: Settlement, _ meters: EngineMeters) {
        if let error = settlement.end.outcome.failure, let meters = meters.provider(settlement.end.provider) {
            switch EngineEvent(settlement) {
            case .retried: meters.retries[error.category]?.increment()
            case .diverted: meters.fallbacks[error.category]?.increment()
            default: break
            }
        }
        guard !settlement.finished.isEmpty else { return }
        let count = settlement.finished.count
        switch settlement.end.outcome {
        case .completed: meters.completed.increment(by: count)
        case .expired: meters.expired.increment(by: count)
        case .failed, .postponed, .diverted, .held, .interrupted: meters.failed.increment(by: count)
        }
    }
}
