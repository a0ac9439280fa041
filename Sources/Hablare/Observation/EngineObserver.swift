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

    /// Counts what an event says of ends.
    func noted(_ event: EngineEvent) {
        guard let meters else { return }
        switch event {
        case .retried(let settlement, _):
            if let error = settlement.end.outcome.failure {
                meters.provider(settlement.end.provider)?.retries[error.category]?.increment()
            }
            finished(with: settlement)
        case .diverted(let settlement, _):
            if let error = settlement.end.outcome.failure {
                meters.provider(settlement.end.provider)?.fallbacks[error.category]?.increment()
            }
            finished(with: settlement)
        case .held(let settlement), .interrupted(let settlement), .settled(let settlement): finished(with: settlement)
        case .failed(_, _, let error):
            (error.code == .deadlineExceeded ? meters.expired : meters.failed).increment()
        case .cancelled: meters.cancelled.increment()
        case .submitted, .rejected, .claimed, .idle, .released, .waiting, .started, .discarded, .refused, .suspended,
            .revived, .registered, .recovered, .moved, .storeFailed, .storeRecovered:
            break
        }
    }

    /// Counts the requests that became final with an attempt's end.
    private func finished(with settlement: Settlement) {
        guard let meters, !settlement.finished.isEmpty else { return }
        let count = settlement.finished.count
        switch settlement.end.outcome {
        case .completed: meters.completed.increment(by: count)
        case .expired: meters.expired.increment(by: count)
        case .failed, .postponed, .diverted, .held, .interrupted: meters.failed.increment(by: count)
        }
    }
}
