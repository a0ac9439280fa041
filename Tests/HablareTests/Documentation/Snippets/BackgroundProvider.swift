// snippet: a provider that goes on after a crash
import Foundation
import Hablare

/// Calls a service that works in the background: it returns a name, by which the result can be fetched.
struct BackgroundProvider: AIServiceProvider {
    let id: ProviderID
    let responseType = ContentType.text
    /// Starts the work, and returns its name.
    let begin: @Sendable (ProviderCall) async throws -> String
    /// Waits for the result of the work with a name. Returns `nil` if the service does not know the name.
    let finish: @Sendable (_ name: String) async throws -> ProviderAnswer?

    func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        do {
            let name: String
            if let handle = call.handle {
                name = String(decoding: handle, as: UTF8.self)
                try await call.resume()
            } else {
                name = try await begin(call)
                try await call.remember(Data(name.utf8))
            }
            if let answer = try await finish(name) { return .success(answer) }
            try await call.forget()
            return .failure(.workLost)
        } catch let error as AIServiceError {
            return .failure(error)
        } catch {
            return .failure(AIServiceError(.connectionLost, "The connection was lost.", cause: "\(type(of: error))"))
        }
    }
}
// end snippet
