/// The trace that a request was submitted in, as its tracer writes it down: the fields of W3C's `traceparent` and
/// `tracestate`, or whatever the tracer uses.
///
/// It is stored with its request, so that an attempt joins the trace in whichever process it is made, and is erased
/// with it. Whatever the application puts into its tracer's baggage is among it.
public struct TraceContext: Sendable, Hashable, Codable {
    /// The most bytes that all names and values may have together. W3C asks for 512 of `tracestate`; 4096.
    public static let maximumByteCount = 4096

    /// The fields by name.
    public let fields: [String: String]

    /// Creates a context; `nil` where there is no field, or they are larger than ``maximumByteCount``: a trace that is
    /// too large to be kept is not kept, and the request is submitted without.
    public init?(_ fields: [String: String]) {
        let size = fields.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard !fields.isEmpty, size <= Self.maximumByteCount else { return nil }
        self.fields = fields
    }
}
