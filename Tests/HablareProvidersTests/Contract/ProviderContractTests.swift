import Hablare
import HablareTestKit
import Testing

/// Every provider that calls a service is held to the contract, in front of a real server.
///
/// Those of a service one after the other: each makes hundreds of connections, and all at once they would use up the time
/// that other tests give theirs to come about.
@Suite(.timeLimit(.minutes(20))) struct ProviderContractTests {
    @Suite(.serialized) struct OpenAI {
        @Test("The provider keeps the contract", arguments: OpenAIStages.all)
        func keeps(_ stage: HTTPStage) async throws { try await hold(stage) }
    }

    @Suite(.serialized) struct Anthropic {
        @Test("The provider keeps the contract", arguments: AnthropicStages.all)
        func keeps(_ stage: HTTPStage) async throws { try await hold(stage) }
    }

    @Suite(.serialized) struct ElevenLabs {
        @Test("The provider keeps the contract", arguments: ElevenLabsStages.all)
        func keeps(_ stage: HTTPStage) async throws { try await hold(stage) }
    }
}

extension HTTPStage: CustomTestStringConvertible {
    var testDescription: String { name }
}

/// How long anything may take that has to come soon. The thread sanitizer makes everything several times as slow.
#if TSAN
let contractPatience = Duration.seconds(300)
#else
let contractPatience = Duration.seconds(60)
#endif

/// Holds a provider to each rule that its service can play, and records each that it breaks.
func hold(_ stage: any ProviderStage, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let contract = ProviderContract(stage, patience: contractPatience, log: .process)
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
