import CoreMetrics
import Foundation
import Hablare
import HablareSupport
import HablareTestKit
import InMemoryTracing
import Logging
import MetricsTestKit
import Testing
import Tracing

/// Records all of an engine's output for a search: log lines of every level with metadata, metrics with labels, spans
/// with all their content, and errors in every printed form.
struct Overhearing {
    let metrics = TestMetrics()
    let tracer = InMemoryTracer()
    private let log = LogRecorder()
    private let others = Locked<[String]>([])

    var observation: EngineObservation { EngineObservation(metrics: metrics, tracer: tracer) }

    var logger: Logger { log.logger }

    /// Records an error that reached a user.
    func heard(_ error: any Error) {
        var dumped = ""
        dump(error, to: &dumped)
        others.withLock {
            $0 += ["\(error)", error.localizedDescription, String(reflecting: error), dumped]
        }
    }

    /// Records another text.
    func heard(_ text: String) { others.withLock { $0.append(text) } }

    /// Runs an operation that may fail, and records its error.
    func listening(_ operation: () async throws -> Void) async {
        do { try await operation() } catch { heard(error) }
    }

    var logs: [String] { log.lines }
    var errors: [String] { others.withLock { $0 } }

    var labels: [String] {
        func text(_ label: String, _ dimensions: [(String, String)]) -> String { "\(label) \(dimensions)" }
        return metrics.counters.map { text($0.label, $0.dimensions) }
            + metrics.timers.map { text($0.label, $0.dimensions) }
            + metrics.meters.map { text($0.label, $0.dimensions) }
            + metrics.recorders.map { text($0.label, $0.dimensions) }
    }

    var spans: [String] {
        tracer.finishedSpans.map { span in
            var attributes: [String] = []
            span.attributes.forEach { attributes.append("\($0)=\($1)") }
            return """
                \(span.operationName) \(attributes) \(span.events) \(span.links) \(span.errors) \
                \(span.status?.message ?? "")
                """
        }
    }

    /// Everything recorded.
    var everything: [String] { logs + errors + labels + spans }
}
