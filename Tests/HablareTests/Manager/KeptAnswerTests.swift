import Foundation
import HablareStores
import HablareTestKit
import Testing

@testable import Hablare

/// Answers that arrived, may be billed, and cannot be used.
@Suite(.timeLimit(.minutes(5)))
struct KeptAnswerTests {
    private static let page = ResponseContent.data("<html>Log in</html>")

    private func failing(_ error: AIServiceError) -> ScriptedProvider {
        ScriptedProvider { _ in .failure(error) }
    }

    @Test("An answer of another kind than promised fails the request and is kept")
    func wrongKind() async throws {
        let provider = ScriptedProvider(responseType: .audio) { _ in .success(ProviderAnswer(Self.page)) }
        let engine = try Engine([provider])
        try await engine.run {
            let id = try await engine.manager.submit(AIRequest(prompt: "p"), to: provider.id)
            #expect(await code { _ = try await engine.manager.execute(requestID: id) } == .invalidResponse)
            #expect(try await engine.manager.keptAnswer(for: id) == KeptAnswer(Self.page))
            #expect(try await engine.manager.response(for: id) == nil)
        }
    }

    @Test("The stored error has no answer, and neither has the one that callers receive")
    func notInErrors() async throws {
        let error = AIServiceError(.invalidResponse, "It is a page.", billing: .maybeBilled)
        let provider = failing(error.keeping(KeptAnswer(Self.page, mediaType: "text/html")))
        let engine = try Engine([provider])
        try await engine.run {
            let id = try await engine.manager.submit(AIRequest(prompt: "p"), to: provider.id)
            let thrown = await #expect(throws: AIServiceError.self) {
                _ = try await engine.manager.execute(requestID: id)
            }
            #expect(thrown == error && thrown?.keptAnswer == nil)
            #expect(try engine.store.snapshot(of: id)?.error == error)
            #expect(try engine.store.attempts(of: id).map(\.error) == [error])
            let json = try JSONEncoder().encode(error.keeping(KeptAnswer(Self.page)))
            #expect(!String(decoding: json, as: UTF8.self).contains("html"))
        }
    }

    @Test("An equal request is not answered with a kept answer")
    func notCached() async throws {
        let provider = failing(AIServiceError(.invalidResponse, "It is a page.").keeping(KeptAnswer(Self.page)))
        let engine = try Engine([provider])
        try await engine.run {
            for _ in 0..<2 {
                let id = try await engine.manager.submit(AIRequest(prompt: "p"), to: provider.id)
                #expect(await code { _ = try await engine.manager.execute(requestID: id) } == .invalidResponse)
            }
            #expect(provider.record.calls.count == 2)
        }
    }

    @Test("What is done to an error does not lose its answer")
    func kept() {
        let error = AIServiceError(.invalidResponse, "It is a page.").keeping(KeptAnswer(Self.page))
        #expect(error.billed(.maybeBilled).keptAnswer != nil && error.disposed(.fail).keptAnswer != nil)
        #expect(error.reworded("x", cause: nil).keptAnswer != nil && error.keeping(nil).keptAnswer == nil)
    }
}
