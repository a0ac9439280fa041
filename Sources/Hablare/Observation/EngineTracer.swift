import Foundation
import Tracing

/// The spans of an engine. They are created only if a tracer is bootstrapped.
///
/// A submission has a span of the kind producer. Each attempt has a span of the kind client, which is a child of the
/// submission's span. This also works if another process makes the attempt days later, because the store keeps the
/// context of the submission's span with the request. Names and attributes follow OpenTelemetry's conventions for
/// generative AI, version 1.41. Names that the conventions do not have begin with `hablare.`.
struct EngineTracer: Sendable {
    private let tracer: any Tracer
    private let date: @Sendable () -> Date

    init?(_ tracer: any Tracer, date: @escaping @Sendable () -> Date) {
        if tracer is NoOpTracer { return nil }
        self.tracer = tracer
        self.date = date
    }

    var now: SpanMoment { SpanMoment(date()) }

    // MARK: Submissions

    func submitting<R>(
        to provider: ProviderID, _ body: () async throws -> R, noting note: (R, inout SpanAttributes) -> Void
    ) async throws -> R {
        let span = begin(
            "submit \(provider)", within: ServiceContext.current ?? .topLevel, .producer,
            [SpanNames.provider: .string(provider.rawValue)])
        defer { span.end(at: now) }
        do {
            let result = try await ServiceContext.$current.withValue(span.context) { try await body() }
            span.updateAttributes { note(result, &$0) }
            return result
        } catch {
            span.failed((error as? AIServiceError)?.code)
            throw error
        }
    }

    var contextToStore: TraceContext? {
        guard let context = ServiceContext.current else { return nil }
        var fields: [String: String] = [:]
        tracer.inject(context, into: &fields, using: FieldCarrier())
        return TraceContext(fields)
    }

    // MARK: Attempts

    func attemptBegan(_ flight: QueuedFlight, number: Int, type: ContentType) -> any Span {
        var context = ServiceContext.topLevel
        if let trace = flight.trace { tracer.extract(trace.fields, into: &context, using: FieldCarrier()) }
        let operation = SpanNames.operation(of: flight.request.prompt, for: type)
        var attributes = SpanAttributes()
        attributes[SpanNames.operation] = operation
        attributes[SpanNames.provider] = flight.provider.rawValue
        attributes[SpanNames.model] = flight.request.model
        attributes[SpanNames.outputType] = SpanNames.outputType(of: type)
        attributes[SpanNames.request] = flight.request.id.uuidString.lowercased()
        attributes[SpanNames.flight] = flight.id.rawValue
        attributes[SpanNames.attempt] = number
        return begin(
            "\(operation) \(flight.request.model ?? flight.provider.rawValue)", within: context, .client, attributes)
    }

    private func begin(
        _ name: String, within context: ServiceContext, _ kind: SpanKind, _ attributes: SpanAttributes
    ) -> any Span {
        let span: any Span = tracer.startSpan(name, context: context, ofKind: kind, at: now)
        span.attributes = attributes
        return span
    }
}

extension Span {
    /// Marks the span as failed. The span contains only the error's code and no message, because a message may contain
    /// the provider's text.
    func failed(_ code: AIServiceError.Code?) {
        attributes[SpanNames.error] = code.flatMap(SpanNames.errorType) ?? SpanNames.otherError
        setStatus(SpanStatus(code: .error))
    }

    func ended(with end: AttemptEnd, wasSent: Bool, at moment: SpanMoment) {
        updateAttributes { attributes in
            attributes[SpanNames.outcome] = end.outcome.label.rawValue
            attributes[SpanNames.wasSent] = wasSent
            attributes[SpanNames.billing] = "\(end.billing)"
            if end.usage.inputTokens > 0 { attributes[SpanNames.inputTokens] = end.usage.inputTokens }
            if end.usage.outputTokens > 0 { attributes[SpanNames.outputTokens] = end.usage.outputTokens }
            if let cost = end.usage.costMicroDollars { attributes[SpanNames.cost] = cost }
        }
        if let error = end.outcome.failure {
            failed(error.code)
        } else if case .expired = end.outcome {
            failed(.deadlineExceeded)
        }
        self.end(at: moment)
    }
}

private struct FieldCarrier: Injector, Extractor {
    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
        carrier[key] = value
    }

    func extract(key: String, from carrier: [String: String]) -> String? {
        carrier[key]
    }
}

struct SpanMoment: TracerInstant {
    let nanosecondsSinceEpoch: UInt64

    /// Creates the time of a span's event. If a span cannot have the date, the time is the earliest possible time.
    init(_ date: Date) {
        nanosecondsSinceEpoch = UInt64(exactly: (date.timeIntervalSince1970 * 1_000_000_000).rounded()) ?? 0
    }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanosecondsSinceEpoch < rhs.nanosecondsSinceEpoch }
}

/// The context of the trace in which a request was submitted. The tracer chooses the names of the fields, such as W3C's
/// `traceparent` and `tracestate`.
///
/// The store keeps the context with the request, so that an attempt in any process joins the trace. The context is
/// erased with the request. The context includes everything that the application puts into its tracer's baggage.
public struct TraceContext: Sendable, Hashable, Codable {
    /// The maximum total size of all names and values in bytes: 4096. For comparison: W3C asks for 512 bytes of
    /// `tracestate`.
    public static let maximumByteCount = 4096

    /// The fields by name.
    public let fields: [String: String]

    /// Creates a context. Returns `nil` if there are no fields, or if they are larger than ``maximumByteCount``. The
    /// request is then submitted without a trace.
    public init?(_ fields: [String: String]) {
        let size = fields.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard !fields.isEmpty, size <= Self.maximumByteCount else { return nil }
        self.fields = fields
    }
}
