// snippet: a provider that goes on after a crash
import Foundation
import Hablare

/// Asks a service that works in the background: it answers a call with a name, and can be asked for the work by that.
struct BackgroundProvider: AIServiceProvider {
    let id: ProviderID
    let responseType = ContentType.text
    /// Begins the work, and gives its name.
    let begin: @Sendable (ProviderCall) async throws -> String
    /// Waits for the work of a name; `nil` where the service knows of none.
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
