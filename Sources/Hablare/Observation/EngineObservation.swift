public import CoreMetrics
public import Tracing

/// Where an engine's metrics and spans go. Its logs go to the logger that the manager is given.
///
/// By default to whatever the process has bootstrapped at the moment at which this value is made: bootstrap first. Where
/// nothing is bootstrapped, nothing is measured, no span is begun and no trace is stored, at no cost.
///
/// What goes there never has a prompt, a parameter, a response or a credential in it. See ``EngineMetric`` for the
/// metrics; spans are named and labelled after OpenTelemetry's conventions for generative AI.
public struct EngineObservation: Sendable {
    /// Makes the metrics. Default: the one that `MetricsSystem` was bootstrapped with.
    public var metrics: any MetricsFactory
    /// Makes the spans, and carries their context through the store. Default: the one that `InstrumentationSystem` was
    /// bootstrapped with.
    public var tracer: any Tracer

    /// What is bootstrapped, unless given.
    public init(
        metrics: any MetricsFactory = MetricsSystem.factory, tracer: any Tracer = InstrumentationSystem.tracer
    ) {
        self.metrics = metrics
        self.tracer = tracer
    }

    /// Nothing is observed, whatever is bootstrapped.
    public static let none = EngineObservation(metrics: NOOPMetricsHandler.instance, tracer: NoOpTracer())
}
