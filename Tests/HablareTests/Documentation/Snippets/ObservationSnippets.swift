import Hablare
import Metrics
import Tracing

// snippet: what observes an engine
func makeManager(
    on store: any RequestStore, _ providers: ProviderRegistry, metrics: any MetricsFactory, tracer: any Tracer
) -> AIRequestManager {
    AIRequestManager(
        store: store, providers: providers,
        seams: EngineSeams(observation: EngineObservation(metrics: metrics, tracer: tracer)))
}
// end snippet
