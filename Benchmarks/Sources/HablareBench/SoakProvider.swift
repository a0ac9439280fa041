import Foundation
import Hablare
import Synchronization

/// Answers, streams, dawdles or fails by the prompt; remembers nothing of a call, unlike the scripted one.
final class SoakProvider: AIServiceProvider {
    /// The prompt of requests that are asked in pairs.
    static let sharedPrompt = "5, in pairs: \(Lifecycle.prompt)"

    let id: ProviderID = "empty"
    let responseType = ContentType.text
    let limits = ProviderLimits(concurrency: 64)
    private let calls = Atomic(0)

    /// How many calls there were for ``sharedPrompt``.
    var sharedCalls: Int { calls.load(ordering: .relaxed) }

    func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        let text = call.request.prompt.plainText
        if text == Self.sharedPrompt { calls.add(1, ordering: .relaxed) }
        call.report(progress: 0.5)
        if text.hasPrefix("3"), call.attempt == 1 {
            return .failure(AIServiceError(.overloaded, "Busy.", disposition: .retry(after: .milliseconds(5))))
        }
        if text.hasPrefix("4") { return .failure(AIServiceError(.providerFailed, "No.")) }
        do {
            if text.hasPrefix("5") { try await Task.sleep(for: .milliseconds(30)) }
            guard call.isStreaming else { return .success(ProviderAnswer(.text(Body(text)))) }
            for word in text.split(separator: " ") { try await call.yield(Data("\(word) ".utf8)) }
            return .success(ProviderAnswer(streamed: .text))
        } catch {
            return .failure(AIServiceError(.cancelled, "Stopped."))
        }
    }
}
