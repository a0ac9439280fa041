public import CoreMetrics
import Foundation
import Metrics
public import Tracing

/// Records an engine's metrics and spans. It does not affect the engine.
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

    /// Returns a watch that measures an attempt. Returns `nil` if the process records no metrics and no spans.
    func watch(_ flight: QueuedFlight) -> AttemptWatch? {
        meters == nil && tracer == nil ? nil : AttemptWatch(flight, self)
    }

    // MARK: Submissions

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

    func submitting(
        _ batch: [AIRequest], to provider: ProviderID, _ body: () async throws -> [SubmissionReceipt]
    ) async throws -> [SubmissionReceipt] {
        guard let tracer else { return try await body() }
        return try await tracer.submitting(to: provider, body) { receipts, attributes in
            attributes[SpanNames.batchCount] = receipts.count
        }
    }

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

    func cacheLookedUp(for provider: ProviderID, isHit: Bool) {
        guard let meters = meters?.provider(provider) else { return }
        (isHit ? meters.cacheHits : meters.cacheMisses).increment()
    }

    // MARK: Ends

    func gaveUp(_ pruned: Pruned) {
        meters?.responsesPruned.increment(by: pruned.count)
        meters?.prunedBytes.increment(by: pruned.bytes)
    }

    func recovered(_ flights: Int) {
        meters?.flightsRecovered.increment(by: flights)
    }

    /// Counts the final requests among the changes in a commit of this process.
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

    /// Counts the step that follows the end of an attempt, such as a retry. Also counts the requests that became final
    /// with this end.
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

/// The metrics and tracing systems that an engine uses. The engine's logs are separate: they go to the logger that you
/// pass to the manager.
///
/// By default, these are the systems that the process has bootstrapped. Bootstrap these systems before you create this
/// value. If no system is bootstrapped, the engine measures nothing, begins no span and stores no trace context.
///
/// Metrics and spans never contain a prompt, a parameter, a response or a credential. For the metrics, see
/// ``EngineMetric``. The names and attributes of spans follow OpenTelemetry's conventions for generative AI.
///
/// For example, metrics for your own factory, without spans:
///
/// ```swift
/// let seams = EngineSeams(observation: EngineObservation(metrics: factory, tracer: NoOpTracer()))
/// ```
public struct EngineObservation: Sendable {
    /// The factory of metrics. Default: the factory with which `MetricsSystem` was bootstrapped. For example, the
    /// factory of a Prometheus exporter, or `NOOPMetricsHandler.instance` for no metrics.
    public var metrics: any MetricsFactory
    /// The tracer. It creates the spans, and turns a span's context into text fields that the store keeps. Default: the
    /// tracer with which `InstrumentationSystem` was bootstrapped. For example, the tracer of an OpenTelemetry
    /// exporter, or `NoOpTracer()` for no spans.
    public var tracer: any Tracer

    /// Creates an observation. By default, it uses the systems that the process has bootstrapped.
    public init(
        metrics: any MetricsFactory = MetricsSystem.factory, tracer: any Tracer = InstrumentationSystem.tracer
    ) {
        self.metrics = metrics
        self.tracer = tracer
    }

    /// No metrics and no spans, even if systems are bootstrapped.
    public static let none = EngineObservation(metrics: NOOPMetricsHandler.instance, tracer: NoOpTracer())
}
