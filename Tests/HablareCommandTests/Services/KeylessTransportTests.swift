import Foundation
import Hablare
import HablareProviders
import Testing

@testable import HablareCommand

/// A server that gets no key and requires one.
@Suite struct KeylessTransportTests {
    /// Gives each call the same answer.
    private struct Answering: HTTPTransport {
        var answer: HTTPAnswer
        func send(_ call: HTTPCall) async throws -> HTTPAnswer { answer }
    }

    @Test(arguments: [(false, nil), (true, .maybeBilled)] as [(Bool, FailureBilling?)])
    func `A call carried out before the server required a key may have been billed`(
        wasCarriedOut: Bool, billing: FailureBilling?
    ) async throws {
        var answer = HTTPAnswer(status: 401)
        answer.wasCarriedOut = wasCarriedOut
        let address = try ServiceAddress("http://127.0.0.1:8080/v1")
        let transport = KeylessTransport(
            base: Answering(answer: answer), service: "openai", kind: .openai, address: address)
        let client = ServiceClient(
            address, dialect: AnthropicDialect(), transport: transport, key: { () throws(AIServiceError) in nil })
        let error = await #expect(throws: AIServiceError.self) { try await client.send(.post(["x"], json: "y")) }
        #expect(error?.message.contains("needs a key") == true && error?.disposition == .needsUser)
        #expect(error?.billing == billing)
    }
}
