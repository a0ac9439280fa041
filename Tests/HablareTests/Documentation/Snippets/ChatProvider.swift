import Foundation
import Hablare

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls a server with the chat completions API: a local one, such as Ollama or llama.cpp, or a service.
struct ChatProvider: AIServiceProvider {
    let id: ProviderID
    let responseType = ContentType.text
    /// For example `http://localhost:11434/v1`.
    let baseURL: URL
    let model: String
    /// From the environment or a keychain. It is sent, and neither stored nor logged.
    var key: String?
    var limits = ProviderLimits(concurrency: 2, attemptTimeout: .seconds(120))
    /// Sends a request and returns the response. A test replaces it.
    var send: @Sendable (URLRequest) async throws -> (Data, URLResponse) = { try await URLSession.shared.data(for: $0) }

    /// The same server is the same provider under any id.
    var instance: ProviderInstance { ProviderInstance(kind: "chat", location: baseURL.absoluteString) }

    func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        do {
            let (data, response) = try await send(try request(for: call))
            let http = response as? HTTPURLResponse
            let failure = Self.failure(
                status: http?.statusCode ?? 0, retryAfter: http?.value(forHTTPHeaderField: "Retry-After"))
            return try failure.map { .failure($0) } ?? .success(try Self.answer(in: data))
        } catch let error as URLError {
            return .failure(Self.failure(of: error.code))
        } catch {
            return .failure(AIServiceError(.invalidResponse, "The answer cannot be read.", cause: "\(type(of: error))"))
        }
    }

    private func request(for call: ProviderCall) throws -> URLRequest {
        var request = URLRequest(url: baseURL.appendingPathComponent("chat/completions"))
        request.httpMethod = "POST"
        request.timeoutInterval = call.timeout / .seconds(1)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let key { request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization") }
        let messages = [Message(role: "user", content: call.request.prompt.plainText)]
        request.httpBody = try JSONEncoder().encode(Question(model: call.request.model ?? model, messages: messages))
        return request
    }

    static func answer(in data: Data) throws -> ProviderAnswer {
        let reply = try JSONDecoder().decode(Reply.self, from: data)
        guard let choice = reply.choices.first else { throw CocoaError(.coderValueNotFound) }
        let usage = Usage(
            inputTokens: reply.usage?.prompt_tokens ?? 0, outputTokens: reply.usage?.completion_tokens ?? 0)
        return ProviderAnswer(.text(Body(choice.message.content)), usage: usage)
    }

    /// Returns the error for a status; `nil` for success.
    static func failure(status: Int, retryAfter: String?) -> AIServiceError? {
        let delay = retryAfter.flatMap { Double($0) }.map { Duration.seconds($0) }
        return switch status {
        case 200..<300: nil
        case 401, 403: AIServiceError(.unauthorized, "The server does not accept the key. Check it.")
        case 402: AIServiceError(.quotaExceeded, "The account has no money left. Add some.")
        case 408, 429: AIServiceError(.rateLimited, "Too many calls.", disposition: .retry(after: delay))
        case 400..<500: AIServiceError(.invalidRequest, "The server refuses the request (\(status)).")
        case 500..<600: AIServiceError(.overloaded, "The server failed (\(status)).", disposition: .retry(after: delay))
        default: AIServiceError(.invalidResponse, "The server answered \(status). Check its address.")
        }
    }

    /// Returns the error for a failed connection. It tells whether the call was sent, and so may have been billed.
    static func failure(of code: URLError.Code) -> AIServiceError {
        switch code {
        case .timedOut: AIServiceError(.timeout, "The server did not answer in time.")
        case .networkConnectionLost: AIServiceError(.connectionLost, "The connection was lost.")
        case .cancelled: AIServiceError(.cancelled, "The call was cancelled.")
        default: AIServiceError(.connectionFailed, "The server cannot be reached.", cause: "\(code.rawValue)")
        }
    }
}

private struct Message: Codable { let role, content: String }
private struct Question: Encodable {
    let model: String
    let messages: [Message]
}
private struct Reply: Decodable {
    struct Choice: Decodable { let message: Message }
    struct Usage: Decodable { let prompt_tokens, completion_tokens: Int64 }
    let choices: [Choice]
    let usage: Usage?
}
