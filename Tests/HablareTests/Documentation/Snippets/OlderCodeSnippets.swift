import Hablare

// snippet: newer code
func newerCall(_ request: AIRequest, manager: AIRequestManager) async throws -> AIResponseData {
    try await manager.execute(request, with: "shouter")
}
// end snippet

// snippet: a provider of older code
/// Replaces `generate(prompt:parameters:context:)`: without the context, and with an error that says how to proceed.
struct Echo: AIServiceProvider {
    let id: ProviderID = "echo"
    let responseType = ContentType.text

    func generate(
        prompt: String, parameters: [String: ParameterValue]
    ) async -> Result<ResponseContent, AIServiceError> {
        guard !prompt.isEmpty else {
            return .failure(AIServiceError(.invalidRequest, "There is nothing to repeat. Write a prompt."))
        }
        return .success(.text(Body(prompt)))
    }
}
// end snippet

// snippet: a batch of older code
/// Run it again after an interruption: it finds the existing answers and requests the missing ones.
func newerBatch(_ texts: [String], manager: AIRequestManager) async throws -> [AIResponseData] {
    let key = JobKey.hashing(texts.map { Array($0.utf8) })
    let ids = try await manager.submit(
        texts.map { AIRequest(prompt: .text($0)) }, to: "shouter", jobKey: key)
    var responses: [AIResponseData] = []
    for id in ids { responses.append(try await manager.execute(requestID: id)) }
    return responses
}
// end snippet
