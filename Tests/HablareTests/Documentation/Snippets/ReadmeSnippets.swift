import Foundation
import Hablare
import HablareSQLite

// snippet: README
/// A provider makes one slow call and reports the outcome. The engine queues, records and recovers.
struct Shouter: AIServiceProvider {
    let id: ProviderID = "shouter"
    let responseType = ContentType.text

    func generate(
        prompt: String, parameters: [String: ParameterValue]
    ) async -> Result<ResponseContent, AIServiceError> {
        .success(.text(Body(prompt.uppercased())))
    }
}

func shout(_ words: String, storingIn folder: URL) async throws -> String {
    let manager = AIRequestManager(
        store: try SQLiteStore(directory: folder),
        providers: try ProviderRegistry([Shouter()]))
    return try await EngineService.run(manager) {
        let response = try await manager.execute(AIRequest(prompt: .text(words)), with: "shouter")
        return try await response.text()
    }
}
// end snippet
