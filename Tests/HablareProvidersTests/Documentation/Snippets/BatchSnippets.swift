import Foundation
import Hablare
import HablareProviders

// snippet: a batch provider
func makeProviders(_ service: OpenAIService) throws -> ProviderRegistry {
    let live = OpenAIChatProvider("openai", service: service, model: "gpt-6-luna")
    return try ProviderRegistry([live, live.batched(as: "openai.batch")])
}
// end snippet

// snippet: requests that wait for a batch
/// Submits a summary of each text, and returns the UUIDs of the requests.
func summarize(_ texts: [String], with manager: AIRequestManager) async throws -> [UUID] {
    var ids: [UUID] = []
    for text in texts {
        let request = AIRequest(prompt: .text("Summarize this text: \(text)"))
        ids.append(try await manager.submit(request.deadline(.slack, orLive: "openai"), to: "openai.batch"))
    }
    return ids
}
// end snippet
