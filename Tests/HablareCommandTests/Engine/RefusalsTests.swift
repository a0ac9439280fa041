import Foundation
import Hablare
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite(.timeLimit(.minutes(1))) struct RefusalsTests {
    /// Lets a request fail with these errors, and returns whether that counts as a refusal of all requests.
    private func isRefused(_ errors: AIServiceError...) async throws -> Bool {
        let refusals = Refusals()
        let left = Locked(errors)
        let provider = ScriptedProvider(id: "p", limits: ProviderLimits(breaker: .never)) { _ in
            guard let error = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                return .success(ProviderAnswer(.text(Body("an answer"))))
            }
            return .failure(error)
        }
        let manager = AIRequestManager(
            store: InMemoryStore(), providers: try ProviderRegistry([provider]),
            configuration: EngineConfiguration(retry: RetryPolicy(maximumAttempts: 2, baseDelay: .zero)),
            seams: EngineSeams(follower: refusals.noted))
        try await EngineService.run(manager) {
            _ = try await manager.outcome(of: try await manager.submit(AIRequest(prompt: "x"), to: "p"))
        }
        return refusals.isRefused
    }

    @Test func `Only a permanent failure with an account-wide code is a refusal`() async throws {
        for code in [AIServiceError.Code.unauthorized, .quotaExceeded, .invalidConfiguration] {
            #expect(try await isRefused(AIServiceError(code, "No.")))
        }
        #expect(try await !isRefused(AIServiceError(.invalidRequest, "No.")))
        #expect(try await !isRefused(AIServiceError(.unauthorized, "No.", disposition: .retry(after: nil))))
    }
}
