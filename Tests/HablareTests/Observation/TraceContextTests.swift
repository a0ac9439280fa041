import Hablare
import Testing

@Suite struct TraceContextTests {
    @Test("A trace context without fields or above the size limit is dropped")
    func bounds() throws {
        let most = String(repeating: "x", count: TraceContext.maximumByteCount - 1)
        #expect(TraceContext([:]) == nil)
        #expect(TraceContext(["a": most])?.fields == ["a": most])
        #expect(TraceContext(["a": most + "x"]) == nil)
        #expect(TraceContext(["ab": most]) == nil)
    }
}
