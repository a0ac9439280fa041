import Foundation
import Hablare
import HablareTestKit
import Logging
import Testing

/// Keeps every line that was logged, metadata included.
private struct LineKeeper: LogHandler {
    let lines: Guarded<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:]) \(metadata)") }
    }
}

@Suite struct SecrecyTests {
    private static let secret = "the moon is made of sk-0123456789"

    @Test("Neither prompt nor parameters are in what is logged, whatever goes wrong", .timeLimit(.minutes(1)))
    func logs() async throws {
        let lines = Guarded<[String]>([])
        let machine = ProcessStore.Machine()
        let store = ProcessStore(machine)
        let logger = Logger(label: "test") { _ in LineKeeper(lines: lines) }
        let provider = ScriptedProvider { _ in
            store.fail()  // the outcome cannot be recorded: that is logged
            return .failure(AIServiceError(.providerFailed, "The provider is out of order."))
        }
        let manager = AIRequestManager(store: store, providers: try ProviderRegistry([provider]), logger: logger)
        let request = AIRequest(prompt: .text(Self.secret), parameters: ["key": .string(Self.secret)])
        try await EngineService.run(manager) {
            await #expect(throws: AIServiceError.self) { try await manager.execute(request, with: "scripted") }
            store.recover()
        }
        let logged = lines.withLock { $0 }
        #expect(!logged.isEmpty, "something went wrong, and it was logged")
        for line in logged { #expect(!line.contains("moon") && !line.contains("sk-01")) }
    }

    @Test("Neither prompt nor parameters are in an error's description")
    func errors() async throws {
        let provider = ScriptedProvider(limits: ProviderLimits(maximumCharacters: 3))
        let manager = AIRequestManager(store: InMemoryStore(), providers: try ProviderRegistry([provider]))
        let wrong: [AIRequest] = [
            AIRequest(prompt: .text(Self.secret)),
            AIRequest(prompt: "x", parameters: ["key": .string(Self.secret), "bad": .double(.nan)]),
            AIRequest(prompt: "x", parameters: ["key": .string(Self.secret)], attemptTimeout: .zero),
        ]
        for request in wrong {
            do {
                _ = try await manager.submit(request, to: "scripted")
                Issue.record("It was accepted")
            } catch {
                #expect(!"\(error)".contains("moon") && !error.localizedDescription.contains("moon"))
            }
        }
    }
}
