import Foundation
import Tracing

/// The spans of an engine. There is none where nobody traces.
///
/// A submission is a span of kind producer, and each attempt one of kind client, its child: also when it is made days
/// later, by another process, because the submission's context is stored with the request. Names and attributes are
/// those of OpenTelemetry's conventions for generative AI, as of version 1.41, and `hablare.…` where there are none.
struct EngineTracer: Sendable {
    private let tracer: any Tracer
    private let date: @Sendable () -> Date

    init?(_ tracer: any Tracer, date: @escaping @Sendable () -> Date) {
        if tracer is NoOpTracer { return nil }
        self.tracer = tracer
        self.date = date
    }

    /// The present moment, as spans have it.
    var now: SpanMoment { SpanMoment(date()) }

    // MARK: Submissions

    /// Carries out a submission within a span.
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

    /// The present context as it is stored with a request.
    var contextToStore: TraceContext? {
        guard let context = ServiceContext.current else { return nil }
        var fields: [String: String] = [:]
        tracer.inject(context, into: &fields, using: FieldCarrier())
        return TraceContext(fields)
    }

    // MARK: Attempts

    /// Begins the span of an attempt, in the trace that its request was submitted in.
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
    /// What it is about failed. The code alone is said: a message may have words of the provider in it.
    func failed(_ code: AIServiceError.Code?) {
        attributes[SpanNames.error] = code.flatMap(SpanNames.errorType) ?? SpanNames.otherError
        setStatus(SpanStatus(code: .error))
    }

    /// The attempt that it is about ended.
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

/// Writes a context into plain fields, and reads it from there.
private struct FieldCarrier: Injector, Extractor {
    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
        carrier[key] = value
    }

    func extract(key: String, from carrier: [String: String]) -> String? {
        carrier[key]
    }
}

/// A date as spans have it.
struct SpanMoment: TracerInstant {
    let nanosecondsSinceEpoch: UInt64

    /// Dates that a span cannot have become the first.
    init(_ date: Date) {
        nanosecondsSinceEpoch = UInt64(exactly: (date.timeIntervalSince1970 * 1_000_000_000).rounded()) ?? 0
    }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanosecondsSinceEpoch < rhs.nanosecondsSinceEpoch }
}
