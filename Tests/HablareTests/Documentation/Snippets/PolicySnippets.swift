import Foundation
import Hablare

// snippet: an engine's policies
func makeConfiguration() -> EngineConfiguration {
    EngineConfiguration(
        attemptTimeout: .seconds(60),
        retry: RetryPolicy(maximumAttempts: 5, maximumElapsed: .seconds(3600)),
        budgets: [
            Budget("all", microDollars: 20_000_000, period: .month),
            Budget("drafts", microDollars: 500_000, period: .day, scope: .tag("draft"), unknownCosts: .refuse),
        ],
        retention: Retention(maximumAge: 30 * 24 * 3600, maximumCount: 50_000))
}
// end snippet

// snippet: a request's policies
func makeRequest(_ words: String, before deadline: Date) -> AIRequest {
    AIRequest(
        prompt: .text(words),
        priority: .high,
        attemptTimeout: .seconds(20),
        deadline: deadline,
        maximumAttempts: 2,
        unknownOutcome: .hold,
        keepUntilMerged: true,
        tags: ["draft"],
        fallback: [FallbackTarget("second", model: "small")])
}
// end snippet

// snippet: reading a stream
func read(_ words: String, with manager: AIRequestManager, show: (String) -> Void) async throws {
    let request = AIRequest(prompt: .text(words), streaming: StreamingPolicy(allowsRestart: true))
    let id = try await manager.submit(request, to: "storyteller")
    var shown = ""
    for try await element in try await manager.stream(for: id) {
        switch element {
        case .chunk(let chunk): shown += chunk.text
        case .restarted: shown = ""
        case .completed: break
        }
        show(shown)
    }
}
// end snippet

// snippet: what ran out
/// Returns a message for the user whose request failed.
func advice(for error: AIServiceError) -> String {
    switch error.code {
    case .quotaExceeded: "The account has no money left. Pay, then try again."
    case .budgetExceeded: "Your own budget is spent. Raise it, or wait for the next period."
    case .storageFull: "The disk is full. Free some space; what was acknowledged is safe."
    case .connectionFailed: "There is no connection. Try again when there is one."
    default: error.message
    }
}
// end snippet

// snippet: retrying what ran out
/// Retries the requests that failed for lack of money or network. Returns their number.
func retryWhatRanOut(with manager: AIRequestManager) async throws -> Int {
    let codes: Set<AIServiceError.Code> = [.quotaExceeded, .budgetExceeded, .connectionFailed, .overloaded]
    var count = 0
    var filter = SnapshotFilter(phases: [.failed], limit: 500)
    while case let page = try await manager.snapshots(filter), let last = page.last {
        for snapshot in page where snapshot.error.map({ codes.contains($0.code) }) ?? false {
            try await manager.retry(snapshot.id)
            count += 1
        }
        filter.continues(after: last)
    }
    return count
}
// end snippet

// snippet: why a request waits
func whyItWaits(_ id: UUID, with manager: AIRequestManager) async throws -> String? {
    switch try await manager.snapshot(for: id).waiting {
    case nil: nil
    case .queued(let ahead), .unclaimed(let ahead): ahead.map { "\($0) before it" } ?? "in the queue"
    case .backingOff(let date), .providerFailing(let date), .rateLimited(let date): "not before \(date)"
    case .held: "for your decision: retry, cancel or delete it"
    case .noProvider: "no provider of that name is registered"
    case .offline: "for the network"
    case .suspended: "for the app to come back"
    default: "for its turn"
    }
}
// end snippet

// snippet: translations from the cache
/// Returns the translation of a sentence that is shown often: from the cache, or else from the provider.
func translation(of sentence: String, with manager: AIRequestManager) async throws -> String {
    let request = AIRequest(prompt: .text(sentence), caching: .use(within: 86_400), tags: ["translation"])
    if let known = try await manager.cachedResponse(to: request, from: "translator") { return try await known.text() }
    return try await manager.execute(request, with: "translator").text()
}

/// Drops all cached translations, because the glossary has changed.
func glossaryChanged(with manager: AIRequestManager) async throws {
    try await manager.invalidateCache(.tag("translation"))
}
// end snippet
