import Foundation
import Hablare
import HablareSQLite
import HablareStores
import HablareSupport
import HablareTestKit
import InMemoryTracing
import Logging
import MetricsTestKit
import Testing
import Tracing

/// G10. Plants secrets wherever one can be, runs everything that succeeds and fails, and searches all of the engine's
/// output for them: logs, errors in all their forms, metrics, spans, snapshots, ledgers and statistics.
///
/// The search excludes requested data: `request(of:)`, the content of a response, the elements of a stream, and the
/// caller's own labels of a request (model, tags, metadata, job).
@Suite(.timeLimit(.minutes(5)))
struct SecrecyTests {
    enum Kind: String, CaseIterable, Sendable {
        case memory
        case database
        case contentFiles
    }

    private static let prompt = "Tell nobody that the moon is made of gorgonzola."
    private static let system = "You are the keeper of the gorgonzola of the moon."
    private static let parameter = "a style that tastes of parmesan"
    private static let key = "sk-emmental-0123456789abcdef"
    private static let answer = "The moon, we must admit, is made of roquefort."
    private static let needles = ["gorgonzola", "parmesan", "emmental", "roquefort"]

    /// Returns an error of a provider that repeats everything it knows.
    private static func indiscreet(_ code: AIServiceError.Code, _ disposition: FailureDisposition) -> AIServiceError {
        AIServiceError(
            code, "Key \(key) was refused: \"\(prompt.dropFirst(5))\" in \(parameter).", disposition: disposition,
            cause: "POST https://vendor.example/v1?key=\(key) [\(system)] Authorization: Bearer \(key)")
    }

    private static func request(
        _ behaviour: String, conversation: Bool = false, streaming: Bool = false, deadline: Date? = nil,
        fallback: [FallbackTarget] = []
    ) -> AIRequest {
        let prompt: Prompt =
            conversation
            ? .messages([
                Prompt.Message(role: .system, text: system), Prompt.Message(role: .user, text: prompt),
            ]) : .text("\(prompt) \(system)")
        return AIRequest(
            prompt: prompt,
            parameters: ["do": .string(behaviour), "style": ["deep": [.string(parameter)]], "key": .string(key)],
            tenant: "tenant of emmental", deadline: deadline,
            streaming: streaming ? StreamingPolicy(allowsRestart: true) : nil, fallback: fallback)
    }

    /// Returns a provider that does what the request's parameter says.
    private static func provider(_ id: ProviderID, _ gate: Gate) -> ScriptedProvider {
        let failed = Locked<Set<UUID>>([])
        return ScriptedProvider(
            id: id, limits: ProviderLimits(attemptTimeout: .seconds(4), maximumCharacters: 10_000, breaker: .never)
        ) { call in
            let isFirst = failed.withLock { $0.insert(call.request.id).inserted }
            switch call.request.parameters["do"] {
            case "stream":
                do {
                    for word in answer.split(separator: " ") { try await call.yield("\(word) ") }
                } catch { return .failure(indiscreet(.cancelled, .fail)) }
                return .success(ProviderAnswer(streamed: .text))
            case "fail": return .failure(indiscreet(.unauthorized, .needsUser))
            case "hold": return .failure(indiscreet(.connectionLost, .outcomeUnknown))
            case "retry" where isFirst: return .failure(indiscreet(.overloaded, .retry(after: .seconds(1))))
            case "wrong": return .success(ProviderAnswer(.data(Body(Data(answer.utf8)))))
            case "wait":
                do { try await gate.pass() } catch { return .failure(indiscreet(.cancelled, .fail)) }
                return .success(ProviderAnswer(.text(Body(answer))))
            default: return .success(ProviderAnswer(.text(Body(answer))))
            }
        }
    }

    private static func store(_ kind: Kind, in folder: URL) throws -> any RequestStore {
        switch kind {
        case .memory: InMemoryStore()
        case .database: try SQLiteStore(directory: folder)
        case .contentFiles:
            try SQLiteStore(directory: folder, configuration: .init(thresholds: ContentThresholds(text: 1, other: 1)))
        }
    }

    // MARK: Operations

    /// Runs every way that a request can take.
    private func live(_ engine: Engine, _ store: FaultyStore, _ gate: Gate, _ ears: Overhearing) async throws {
        let manager = engine.manager
        func finish(_ request: AIRequest) async {
            await ears.listening {
                try await manager.submit(request, to: "scripted")
                // Time passes only for requests that wait for it, because each second is many turns of other tasks.
                var rounds = 0
                while true {
                    let snapshot = try await manager.snapshot(for: request.id)
                    if snapshot.phase.isFinal || snapshot.waiting == .held { break }
                    rounds += 1
                    try #require(rounds < 200_000, "It has not ended: \(snapshot)")
                    if ["retry", "hold", "wait"].contains(request.parameters["do"]) { try await engine.pass(1) }
                    try await pause()
                }
                if try await manager.snapshot(for: request.id).phase.isFinal {
                    _ = try await manager.execute(requestID: request.id)
                }
            }
        }
        for behaviour in ["answer", "stream", "fail", "hold", "retry", "wrong"] {
            await finish(Self.request(behaviour, streaming: behaviour == "stream"))
            await finish(Self.request(behaviour, conversation: true, streaming: behaviour == "stream"))
        }
        await finish(Self.request("fail", fallback: [FallbackTarget("other", model: "small")]))
        await finish(Self.request("wait", deadline: engine.dates.now.addingTimeInterval(2)))

        let cancelled = Self.request("wait", conversation: true)
        try await manager.submit(cancelled, to: "scripted")
        try await engine.reach(.executing, cancelled.id)
        try await manager.cancelRequest(cancelled.id)
        await ears.listening { try await manager.evict(cancelled.id) }
        await ears.listening { _ = try await manager.regenerate(cancelled.id) }

        let late = Self.request("wait")
        await finish(late)  // its attempt exceeds the timeout

        store.fail { write in if case .settle = write { true } else { false } }
        await ears.listening {
            _ = try await engine.soon {
                try await manager.execute(Self.request("answer").sampled(1), with: "scripted")
            }
        }
        store.fail()
        await ears.listening { try await manager.submit(Self.request("answer").sampled(2), to: "scripted") }
        try await engine.pass(6)
        store.recover()
        try await engine.pass(6)
    }

    /// Makes the calls that are refused before anything is stored.
    private func refused(_ manager: AIRequestManager, _ ears: Overhearing) async throws {
        let known = try #require(try await manager.snapshots().first)
        let plain = Self.request("answer")
        var wrong: [AIRequest] = [
            AIRequest(id: known.id, prompt: .text(Self.prompt + "?")),
            AIRequest(
                prompt: .text(Self.prompt), parameters: ["style": .string(Self.parameter), "bad": .double(.nan)]),
            AIRequest(prompt: .text(String(repeating: Self.prompt, count: 1000))),
            AIRequest(prompt: .text(Self.prompt), attemptTimeout: .zero),
            AIRequest(prompt: .text(Self.prompt), maximumAttempts: 0),
            AIRequest(prompt: .text(Self.prompt), deadline: .distantPast),
            AIRequest(prompt: .text(Self.prompt), tags: [""]),
            AIRequest(prompt: .text(Self.prompt), fallback: [FallbackTarget("nobody")]),
        ]
        var deep: ParameterValue = .string(Self.parameter)
        for _ in 0..<100 { deep = [deep] }
        wrong.append(AIRequest(prompt: .text(Self.prompt), parameters: ["deep": deep]))
        for request in wrong { await ears.listening { try await manager.submit(request, to: "scripted") } }
        await ears.listening { try await manager.submit(plain, to: "nobody") }
        await ears.listening {
            _ = try await manager.submit(
                [AIRequest(id: known.id, prompt: .text(Self.prompt + "!"))], to: "scripted",
                jobKey: JobKey(rawValue: "job"))
        }
    }

    /// Reads descriptions of requests without asking for their content.
    private func described(_ manager: AIRequestManager, _ ears: Overhearing) async throws {
        let snapshots = try await manager.snapshots()
        ears.heard("\(snapshots)")
        for snapshot in snapshots {
            ears.heard("\(try await manager.attempts(for: snapshot.id))")
            await ears.listening {
                if case .failed(let error) = try await manager.status(for: snapshot.id) { ears.heard(error) }
            }
        }
        ears.heard("\(try await manager.statistics())")
        for grouping in LedgerQuery.Grouping.allCases {
            ears.heard("\(try await manager.ledger(LedgerQuery(by: grouping)))")
        }
        ears.heard("\(try await manager.prunePlan())")
    }

    /// Damages the content files.
    private func damage(_ folder: URL, _ engine: Engine, _ ears: Overhearing) async throws {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        let request = Self.request("answer").sampled(3)
        try await engine.manager.submit(request, to: "scripted")
        while let file = files?.nextObject() as? URL {
            guard file.path.contains("/content/"),
                try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
            else { continue }
            try Data(Self.answer.reversed().map { $0 }.description.utf8).write(to: file)
        }
        for snapshot in try await engine.manager.snapshots() {
            await ears.listening {
                _ = try await engine.manager.response(for: snapshot.id)?.content.body?.data()
            }
        }
        try await engine.run {
            await ears.listening {
                _ = try await engine.soon { try await engine.manager.execute(requestID: request.id) }
            }
        }
    }

    // MARK: Output

    @Test("Logs, errors, metrics and spans contain no prompt, parameter, answer or key", arguments: Kind.allCases)
    func nothing(in kind: Kind) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hablare-\(UUID().uuidString)")
        defer {
            // The store closes when its last reference goes, perhaps at this moment, and then removes files of its own.
            for _ in 0..<20 where FileManager.default.fileExists(atPath: folder.path) {
                do { try FileManager.default.removeItem(at: folder) } catch { continue }
            }
        }
        let ears = Overhearing()
        let gate = Gate()
        let store = FaultyStore(try Self.store(kind, in: folder))
        let configuration = EngineConfiguration(
            shutdownGrace: .zero, retry: RetryPolicy(maximumAttempts: 2), breaker: .never,
            budgets: [Budget("tagged", microDollars: 1, scope: .tag("dear"))])
        let engine = try Engine(
            [Self.provider("scripted", gate), Self.provider("other", gate)], store: store,
            configuration: configuration, observation: ears.observation, logger: ears.logger)
        try await engine.run {
            try await live(engine, store, gate, ears)
            // Left running, so it is interrupted.
            let left = Self.request("wait").sampled(4)
            try await engine.manager.submit(left, to: "scripted")
            // The store is writable again at the next renewal, after which work continues.
            try await engine.pass {
                let phase = try await engine.manager.snapshot(for: left.id).phase
                return phase == .executing || phase.isFinal
            }
        }
        try await refused(engine.manager, ears)
        try await described(engine.manager, ears)
        if kind == .contentFiles {
            gate.open()
            try await damage(folder, engine, ears)
        }
        #expect(ears.logs.count > 2 && ears.errors.count > 50 && ears.labels.count > 30 && ears.spans.count > 30)
        for needle in Self.needles {
            for words in ears.everything where words.localizedCaseInsensitiveContains(needle) {
                Issue.record("\(needle) is in: \(words.prefix(2000))")
            }
        }
    }

    @Test("The secrecy test finds a secret in every kind of output")
    func found() async throws {
        let ears = Overhearing()
        ears.logger.error("A line", metadata: ["error": "gorgonzola 1"])
        ears.heard(AIServiceError(.providerFailed, "x", cause: "gorgonzola 2"))
        ears.tracer.withSpan("gorgonzola 3") { $0.attributes["a"] = "gorgonzola 4" }
        _ = ears.metrics.makeCounter(label: "a", dimensions: [("b", "gorgonzola 5")])
        for number in 1...5 { #expect(ears.everything.contains { $0.contains("gorgonzola \(number)") }) }
    }
}

extension AIRequest {
    /// Returns the same request as a separate sample.
    fileprivate func sampled(_ number: Int) -> AIRequest {
        AIRequest(
            prompt: prompt, parameters: parameters, sample: number, tenant: tenant, deadline: deadline,
            streaming: streaming, fallback: fallback)
    }
}
