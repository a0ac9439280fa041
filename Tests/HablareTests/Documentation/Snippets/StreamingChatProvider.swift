// snippet: a provider that streams
import Foundation
import Hablare

/// Calls a server that answers with server-sent events, such as the chat completions API with `"stream": true`.
struct StreamingChatProvider: AIServiceProvider {
    let id: ProviderID
    let responseType = ContentType.text
    /// For a streaming request, the timeout limits the silence between chunks.
    var limits = ProviderLimits(concurrency: 2, attemptTimeout: .seconds(30))
    /// Sends the call and returns the lines of the answer as they arrive. Leaving the loop ends the connection.
    let lines: @Sendable (ProviderCall) async throws -> AsyncThrowingStream<String, any Error>

    func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        do {
            var usage = Usage()
            for try await line in try await lines(call) {
                switch try Self.event(in: line) {
                case .piece(let text): try await call.yield(text)
                case .used(let tokens): usage = tokens
                case .failed(let error): return .failure(error)
                case .end: return .success(ProviderAnswer(streamed: .text, usage: usage))
                case .nothing: continue
                }
            }
            return .failure(AIServiceError(.connectionLost, "The answer broke off."))
        } catch let error as AIServiceError {
            return .failure(error)
        } catch is CancellationError {
            return .failure(AIServiceError(.cancelled, "The call was cancelled."))
        } catch {
            return .failure(AIServiceError(.connectionLost, "The connection was lost.", cause: "\(type(of: error))"))
        }
    }

    /// The meaning of a line.
    enum Event: Equatable {
        case piece(String)
        case used(Usage)
        /// The service failed in the middle of the answer.
        case failed(AIServiceError)
        case end
        /// An empty line, a comment, or a piece without text.
        case nothing
    }

    static func event(in line: String) throws -> Event {
        // A space after the colon is usual but not required.
        guard line.hasPrefix("data:") else { return .nothing }
        let data = line.dropFirst("data:".count).drop { $0 == " " }
        if data == "[DONE]" { return .end }
        let reply: Piece
        do {
            reply = try JSONDecoder().decode(Piece.self, from: Data(data.utf8))
        } catch {
            throw AIServiceError(.invalidResponse, "The server sent an event that is not part of the API.")
        }
        if let failure = reply.error {
            return .failed(AIServiceError(.providerFailed, "The service failed.", cause: failure.message))
        }
        if let used = reply.usage {
            return .used(Usage(inputTokens: used.prompt_tokens, outputTokens: used.completion_tokens))
        }
        return reply.choices?.first?.delta.content.map { .piece($0) } ?? .nothing
    }
}

private struct Piece: Decodable {
    struct Choice: Decodable { let delta: Delta }
    struct Delta: Decodable { let content: String? }
    struct Usage: Decodable { let prompt_tokens, completion_tokens: Int64 }
    struct Failure: Decodable { let message: String? }
    let choices: [Choice]?
    let usage: Usage?
    let error: Failure?
}
// end snippet
