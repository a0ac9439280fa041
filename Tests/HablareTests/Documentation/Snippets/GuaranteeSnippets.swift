import Foundation
import Hablare

// snippet: acknowledged
/// Submits a request. Calling it again with the same id after an error is safe: the request is stored once.
func order(_ words: String, as id: UUID, with manager: AIRequestManager) async throws {
    try await manager.submit(AIRequest(id: id, prompt: .text(words)), to: "shouter")
    // From here on the request is on disk and survives a crash of this process.
}
// end snippet

// snippet: another answer
/// Returns another answer to a completed request. The existing answer stays.
func anotherAnswer(than id: UUID, with manager: AIRequestManager) async throws -> AIResponseData {
    let new = try await manager.regenerate(id)
    return try await manager.execute(requestID: new)
}
// end snippet

// snippet: watching
func watch(_ id: UUID, with manager: AIRequestManager, show: (RequestStatus) -> Void) async throws {
    do {
        for try await status in try await manager.statusUpdates(for: id) { show(status) }
        // The last status was final.
    } catch let error as AIServiceError where error.code == .suspended {
        // The engine was shut down or suspended. The request is on disk: watch it again when an engine runs.
    }
}
// end snippet

// snippet: cancelling
func cancel(_ id: UUID, with manager: AIRequestManager) async throws -> String {
    switch try await manager.cancelRequest(id) {
    case .cancelled: "Cancelled. Nothing more is sent for it."
    case .alreadyFinal(.completed): "It was answered before."
    case .alreadyFinal(let status): "It was \(status.phase.rawValue) before."
    }
}
// end snippet

// snippet: held requests
/// Asks the user about each held request, whose outcome is unknown and which may have been billed.
func settle(
    with manager: AIRequestManager, mayPayTwice: (RequestSnapshot) async -> Bool
) async throws {
    let pending = try await manager.snapshots(SnapshotFilter(phases: [.pending], limit: 500))
    for snapshot in pending where snapshot.waiting == .held {
        if await mayPayTwice(snapshot) {
            try await manager.retry(snapshot.id)
        } else {
            try await manager.cancelRequest(snapshot.id)
        }
    }
}
// end snippet

// snippet: unsettled costs
/// Returns the cost so far, and the number of attempts that may have been billed.
func bill(with manager: AIRequestManager) async throws -> (dollars: Double, maybeBilled: Int) {
    let total = try await manager.ledger().total
    return (Double(total.usage.costMicroDollars ?? 0) / 1_000_000, total.maybeBilled)
}
// end snippet
