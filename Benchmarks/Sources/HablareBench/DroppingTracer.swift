import Synchronization
import Tracing

/// A tracer as one that samples: every span is made, told everything, carried through the store, and dropped at its end.
struct DroppingTracer: Tracer {
    private static let field = "traceparent"
    private let next = Counter()

    /// How many spans there were: that the engine did trace.
    var count: Int { next.value }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> DroppedSpan {
        var context = context()
        let number = String(next.next(), radix: 16)
        let id = String(repeating: "0", count: 16 - number.count) + number
        // The form of W3C's field: a trace of 32 digits, a span of 16.
        let trace = context[TraceKey.self].map { String($0.dropFirst(3).prefix(32)) } ?? id + id
        context[TraceKey.self] = "00-\(trace)-\(id)-01"
        return DroppedSpan(operationName, context)
    }

    func activeSpan(identifiedBy context: ServiceContext) -> DroppedSpan? { nil }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let value = context[TraceKey.self] else { return }
        injector.inject(value, forKey: Self.field, into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context[TraceKey.self] = extractor.extract(key: Self.field, from: carrier)
    }

    private enum TraceKey: ServiceContextKey {
        typealias Value = String
    }

    private final class Counter: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }
        func next() -> Int { count.add(1, ordering: .relaxed).newValue }
    }
}

/// Keeps what it is told until it ends.
final class DroppedSpan: Span {
    private struct State: Sendable {
        var operationName: String
        var attributes = SpanAttributes()
    }

    let context: ServiceContext
    private let state: Mutex<State>

    init(_ operationName: String, _ context: ServiceContext) {
        self.context = context
        state = Mutex(State(operationName: operationName))
    }

    var isRecording: Bool { true }

    var operationName: String {
        get { state.withLock { $0.operationName } }
        set { state.withLock { $0.operationName = newValue } }
    }

    var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    func setStatus(_ status: SpanStatus) {}
    func addEvent(_ event: SpanEvent) {}
    func addLink(_ link: SpanLink) {}
    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {}
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) { _ = instant() }
}
