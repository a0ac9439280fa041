import Hablare
import HablareTestKit
import Testing

/// Every provider that calls a service passes the contract with a real server.
///
/// The providers of a service are tested one after the other. Each opens hundreds of connections; all at once they
/// would exceed the connect timeouts of other tests.
@Suite(.timeLimit(.minutes(20))) struct ProviderContractTests {
    @Suite(.serialized) struct OpenAI {
        @Test("The provider passes the contract", arguments: OpenAIStages.all)
        func keeps(_ stage: HTTPStage) async throws { try await hold(stage) }
    }

    @Suite(.serialized) struct Anthropic {
        @Test("The provider passes the contract", arguments: AnthropicStages.all)
        func keeps(_ stage: HTTPStage) async throws { try await hold(stage) }
    }

    @Suite(.serialized) struct ElevenLabs {
        @Test("The provider passes the contract", arguments: ElevenLabsStages.all)
        func keeps(_ stage: HTTPStage) async throws { try await hold(stage) }
    }
}

extension HTTPStage: CustomTestStringConvertible {
    var testDescription: String { name }
}

/// The time limit for any event that must come soon. The thread sanitizer slows everything down several times.
#if TSAN
let contractTimeout = Duration.seconds(300)
#else
let contractTimeout = Duration.seconds(60)
#endif

/// Checks a provider against each rule that its service can play, and records each rule that it breaks.
func hold(_ stage: any ProviderStage, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let contract = ProviderContract(stage, timeout: contractTimeout, log: .process)
    for rule in ProviderContract.rules(for: stage) {
        do {
            try await contract.check(rule)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            Issue.record("\(stage.name): \(rule): \(error)", sourceLocation: sourceLocation)
        }
    }
}
