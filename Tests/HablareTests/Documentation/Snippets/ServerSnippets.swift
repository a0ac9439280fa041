import Foundation
import Hablare
import HablareSQLite
import Logging
import ServiceLifecycle
import UnixSignals

// snippet: a server
func serve(storingIn folder: URL, endingAt signals: [UnixSignal] = [.sigterm, .sigint]) async throws {
    let logger = Logger(label: "server")
    let manager = AIRequestManager(
        store: try SQLiteStore(directory: folder), providers: try ProviderRegistry([Shouter()]), logger: logger)
    let services: [any Service] = [EngineService(manager), Web(manager: manager)]
    try await ServiceGroup(services: services, gracefulShutdownSignals: signals, logger: logger).run()
}
// end snippet

// snippet: what a server answers
/// `POST /shouts` with an id from the client. Sending it again after a lost connection is safe.
func accept(_ words: String, as id: UUID, with manager: AIRequestManager) async throws {
    try await manager.submit(AIRequest(id: id, prompt: .text(words)), to: "shouter")
}

/// `GET /shouts/ID`: returns the text, or `nil` until it is ready.
func answer(to id: UUID, with manager: AIRequestManager) async throws -> String? {
    switch try await manager.status(for: id) {
    case .completed(let response): try await response.text()
    case .failed(let error): throw error
    case .pending, .executing, .cancelled: nil
    }
}
// end snippet
