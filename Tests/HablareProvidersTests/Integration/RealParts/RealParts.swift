import Foundation
import Hablare
import HablareNetwork
import HablareProviders
import Testing

/// Third-party software, which `make integration` installs and starts. Otherwise the suites are skipped and say so.
enum RealParts {
    /// A small language model behind a server compatible with OpenAI (llama.cpp's).
    static let modelServer = ProcessInfo.processInfo.environment["HABLARE_MODEL_SERVER"]
    /// The program of the neural voice.
    static let hibari = ProcessInfo.processInfo.environment["HABLARE_HIBARI"]

    /// Runs a closure with the service of the server, and shuts its transport down afterwards.
    static func withService<Result>(
        _ body: (OpenAIService) async throws -> Result
    ) async throws -> Result {
        let address = try ServiceAddress(#require(modelServer))
        let transport = try NetworkTransport()
        let service = OpenAIService(address, transport: transport, key: { () throws(AIServiceError) -> APIKey? in nil })
        do {
            let result = try await body(service)
            await transport.shutdown()
            return result
        } catch {
            await transport.shutdown()
            throw error
        }
    }

    /// Returns whether the model is answering: llama.cpp reports the state of its slots at `/slots`.
    static func isAnswering() async throws -> Bool {
        let address = try ServiceAddress(#require(modelServer).replacing("/v1", with: ""))
        let transport = try NetworkTransport()
        let client = ServiceClient(
            address, dialect: PlainDialect(), transport: transport, key: { () throws(AIServiceError) -> APIKey? in nil }
        )
        let slots: [Slot]
        do {
            slots = try await client.send(.get(["slots"])).json()
        } catch {
            await transport.shutdown()
            throw error
        }
        await transport.shutdown()
        return slots.contains(where: \.is_processing)
    }

    private struct Slot: Decodable { let is_processing: Bool }
    private struct PlainDialect: ServiceDialect { let name = "The model server" }
}
