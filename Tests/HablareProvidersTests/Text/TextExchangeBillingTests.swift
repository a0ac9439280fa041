import Foundation
import HTTPTypes
import Hablare
import Testing

@testable import HablareProviders

/// The billing of an answer's faults.
@Suite struct TextExchangeBillingTests {
    private static let faults: [TextFault] = [
        .malformed("x"), .tooLarge(limit: 1), .failed(["code": "server_error"]), .failed(["code": "invalid_prompt"]),
        .failed(["code": "insufficient_quota"]), .cancelled,
    ]

    private static func answer() throws -> ServiceAnswer {
        ServiceAnswer(
            status: 200, fields: [:], requestID: nil, receivedAt: OpenAIBench.now, body: HTTPPieces([Data()]),
            maximumBytes: 1, service: "OpenAI", origin: try ServiceAddress(OpenAIService.baseURL).origin)
    }

    /// Returns the billing of a fault after some events.
    private func billing(
        _ fault: TextFault, after events: [String], isCharged: Bool = true, hasBegun: Bool = false
    ) throws -> FailureBilling? {
        var reader = OpenAIChatReader()
        for event in events { _ = try reader.read(ServerSentEvent(data: Data(event.utf8))) }
        let service = try OpenAIBench(isCharged: isCharged).service(ScriptedTransport { _ in OpenAIBench.json("") })
        let exchange = TextExchange(service: service, form: .text, reader: reader)
        return try exchange.failure(fault, of: Self.answer(), hasBegun: hasBegun).billing
    }

    private static let thought = #"{"choices":[{"delta":{"reasoning":"hm"}}]}"#
    private static let usage = #"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4}}"#
    private static let nothing = #"{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}"#

    @Test("For any fault the reported usage is billed, and unreported output is possibly billed", arguments: faults)
    func begun(fault: TextFault) throws {
        let used = Usage(inputTokens: 9, outputTokens: 4)
        #expect(try billing(fault, after: [Self.usage]) == .billed(used))
        #expect(try billing(fault, after: [Self.thought, Self.usage]) == .billed(used))
        #expect(try billing(fault, after: [Self.thought]) == .maybeBilled)
        #expect(try billing(fault, after: [Self.thought, Self.nothing]) == .maybeBilled)
        #expect(try billing(fault, after: [], hasBegun: true) == .maybeBilled)
    }

    @Test("A free service is billed with zero cost", arguments: faults)
    func free(fault: TextFault) throws {
        let used = Usage(inputTokens: 9, outputTokens: 4, costMicroDollars: 0)
        #expect(try billing(fault, after: [Self.usage], isCharged: false) == .billed(used))
        #expect(try billing(fault, after: [Self.thought], isCharged: false) == .billed(Usage(costMicroDollars: 0)))
    }

    @Test("Before any output an unreadable answer is possibly billed, and an error is not", arguments: faults)
    func unbegun(fault: TextFault) throws {
        let isUnreadable =
            switch fault {
            case .malformed, .tooLarge: true
            case .failed, .cancelled: false
            }
        #expect(try billing(fault, after: []) == (isUnreadable ? .maybeBilled : nil))
    }
}
