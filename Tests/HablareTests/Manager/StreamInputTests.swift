import Foundation
import Hablare
import HablareSupport
import HablareTestKit
import Testing

/// Providers that misuse a stream, and answers that were not streamed.
@Suite(.timeLimit(.minutes(5)))
struct StreamInputTests {
    /// Runs a provider's script for a streaming request, and returns the code of its failure. The lane must stay
    /// usable.
    private func failure(
        type: ContentType = .text, _ script: @escaping @Sendable (ProviderCall) async throws -> ProviderAnswer
    ) async throws -> AIServiceError.Code? {
        let provider = ScriptedProvider(responseType: type, limits: ProviderLimits(concurrency: 1)) { call in
            guard call.request.prompt == "bad" else { return .success(ProviderAnswer(.text("good"))) }
            do {
                return .success(try await script(call))
            } catch {
                return .failure(error as? AIServiceError ?? AIServiceError(.providerFailed, "\(error)"))
            }
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        return try await engine.run {
            let request = AIRequest(prompt: "bad", streaming: StreamingPolicy())
            try await manager.submit(request, to: "scripted")
            let code = await code { _ = try await manager.execute(requestID: request.id) }
            let next = AIRequest(prompt: "next", streaming: StreamingPolicy())
            try await manager.submit(next, to: "scripted")
            guard type == .text else { return code }
            #expect(try await read(manager, next.id) == "[good] = good")
            return code
        }
    }

    @Test(
        "A chunk that is too large fails the attempt, even if the provider ignores the error", arguments: [true, false])
    func tooLarge(isSwallowed: Bool) async throws {
        let code = try await failure(type: .data) { call in
            do {
                try await call.yield(Data(count: (16 << 20) + 1))
            } catch let error where isSwallowed {
                #expect((error as? AIServiceError)?.code == .responseTooLarge)
            }
            return ProviderAnswer(streamed: .data)
        }
        #expect(code == .responseTooLarge)
    }

    @Test("Invalid UTF-8 fails the attempt")
    func noText() async throws {
        let code = try await failure { call in
            try await call.yield(Data([0x61, 0xc3]))
            try await call.yield(Data([0x28]))
            return ProviderAnswer(streamed: .text)
        }
        #expect(code == .invalidResponse)
    }

    @Test("A text that ends within a character fails the attempt")
    func halfCharacter() async throws {
        let code = try await failure { call in
            try await call.yield(Data([0x61, 0xc3]))
            return ProviderAnswer(streamed: .text)
        }
        #expect(code == .invalidResponse)
    }

    @Test("A provider that yields and also answers with content fails the attempt")
    func both() async throws {
        let code = try await failure { call in
            try await call.yield("a")
            return ProviderAnswer(.text("a"))
        }
        #expect(code == .invalidResponse)
    }

    @Test("A chunk after the answer is refused, and the answer is complete without it")
    func tooLate() async throws {
        let late = Locked<ProviderCall?>(nil)
        let provider = ScriptedProvider { call in
            late.withLock { $0 = call }
            do { try await call.yield("in time") } catch { return .failure(.init(.providerFailed, "No.")) }
            return .success(ProviderAnswer(streamed: .text))
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "p", streaming: StreamingPolicy())
            try await manager.submit(request, to: "scripted")
            #expect(try await read(manager, request.id) == "[in time] = in time")
            let call = try #require(late.withLock { $0 })
            #expect(await code { try await call.yield("too late") } == .invalidResponse)
            #expect(try await read(manager, request.id) == "[in time] = in time")
        }
    }

    @Test("Readers never get a partial character, and empty chunks are skipped")
    func characters() async throws {
        let provider = ScriptedProvider { call in
            do {
                try await call.yield(Data())
                for byte in "a東👩b".utf8 { try await call.yield(Data([byte])) }
            } catch { return .failure(.init(.providerFailed, "No.")) }
            return .success(ProviderAnswer(streamed: .text))
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "p", streaming: StreamingPolicy())
            try await manager.submit(request, to: "scripted")
            #expect(try await read(manager, request.id) == "[a][東][👩][b] = a東👩b")
        }
    }

    @Test("An answer given in one piece is split into the same chunks for every reader")
    func whole() async throws {
        let answer = String(repeating: "東京", count: 30_000) + "!"
        let engine = try Engine([ScriptedProvider { _ in .success(ProviderAnswer(.text(Body(answer)))) }])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "p")
            try await manager.submit(request, to: "scripted")
            var chunks: [StreamChunk] = []
            for try await case .chunk(let chunk) in try await manager.stream(for: request.id) { chunks.append(chunk) }
            #expect(chunks.count == 3 && chunks.allSatisfy { String(validating: $0.bytes, as: UTF8.self) != nil })
            #expect(chunks.map(\.text).joined() == answer)
            let again = try await manager.stream(for: request.id, from: StreamPosition(generation: 1, sequence: 1))
            var late: [StreamChunk] = []
            for try await case .chunk(let chunk) in again { late.append(chunk) }
            #expect(late == Array(chunks.dropFirst()))
        }
    }

    @Test("An answer without bytes is one stream element")
    func vector() async throws {
        let provider = ScriptedProvider(responseType: .embedding) { _ in .success(ProviderAnswer(.embedding([1]))) }
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "p", streaming: StreamingPolicy())
            try await manager.submit(request, to: "scripted")
            var elements: [StreamElement] = []
            for try await element in try await manager.stream(for: request.id) { elements.append(element) }
            #expect(elements.count == 1)
        }
    }

    @Test("Chunks yielded for a request without streaming are its answer, in a file if it is large")
    func notStreaming() async throws {
        let engine = try Engine([words(["a", "b"])], store: ProcessStore(content: TestContent()))
        let manager = engine.manager
        try await engine.run {
            let response = try await manager.execute(AIRequest(prompt: "p"), with: "scripted")
            #expect(try await response.text() == "ab")
            #expect(try response.content.body?.reference != nil)
        }
    }

    @Test("The stream of an answer whose content file is missing fails with contentMissing")
    func contentGone() async throws {
        let content = TestContent()
        let engine = try Engine([ScriptedProvider()], store: ProcessStore(content: content))
        let manager = engine.manager
        let request = AIRequest(prompt: "gone from its file")
        try await engine.run {
            _ = try await manager.execute(request, with: "scripted")
            content.loseAll()
            #expect(try await read(manager, request.id) == " content-missing")
        }
    }

    @Test("A sequence of stream events is an answer", arguments: [true, false])
    func events(isComplete: Bool) async throws {
        let provider = ScriptedProvider { call in
            let (events, continuation) = AsyncStream.makeStream(of: StreamEvent.self)
            continuation.yield(.chunk(Data("a".utf8)))
            continuation.yield(.progress(0.5))
            continuation.yield(.limits(ReportedLimits()))
            continuation.yield(.chunk(Data("b".utf8)))
            if isComplete { continuation.yield(.finished(.text, metadata: ["k": "v"], usage: Usage(characters: 2))) }
            continuation.finish()
            return await call.answer(from: events)
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "p", streaming: StreamingPolicy())
            try await manager.submit(request, to: "scripted")
            #expect(try await read(manager, request.id) == (isComplete ? "[a][b] = ab" : "[a][b] connection-lost"))
            guard isComplete else { return }
            let response = try #require(try await manager.response(for: request.id))
            #expect(response.metadata == ["k": "v", "cache": "miss"] && response.usage.characters == 2)
        }
    }

    @Test("Events after the first finished event are ignored")
    func twoEnds() async throws {
        let isStopped = Locked(false)
        let provider = ScriptedProvider(limits: ProviderLimits(concurrency: 1)) { call in
            let (events, continuation) = AsyncStream.makeStream(of: StreamEvent.self)
            continuation.onTermination = { _ in isStopped.withLock { $0 = true } }
            continuation.yield(.chunk(Data("first".utf8)))
            continuation.yield(.finished(.text, metadata: ["end": "first"], usage: Usage(characters: 1)))
            continuation.yield(.chunk(Data("second".utf8)))
            continuation.yield(.finished(.data, metadata: ["end": "second"], usage: Usage(characters: 2)))
            // Left open, as a service may leave its connection: no one waits for it.
            return await call.answer(from: events)
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            for prompt: Prompt in ["two ends", "after two ends"] {
                let request = AIRequest(prompt: prompt, streaming: StreamingPolicy())
                try await manager.submit(request, to: "scripted")
                #expect(try await engine.soon { try await read(manager, request.id) } == "[first] = first")
                let response = try #require(try await manager.response(for: request.id))
                #expect(response.metadata["end"] == "first" && response.usage.characters == 1)
            }
        }
        #expect(isStopped.withLock { $0 }, "the sequence is let go")
    }

    @Test("An empty sequence of events is a lost connection")
    func noEvents() async throws {
        let code = try await failure { call in
            try await call.answer(from: AsyncStream<StreamEvent> { $0.finish() }).get()
        }
        #expect(code == .connectionLost)
    }

    @Test("A streamed answer without chunks is an empty answer", arguments: [true, false])
    func noChunk(isStreaming: Bool) async throws {
        let provider = ScriptedProvider(limits: ProviderLimits(concurrency: 1)) { call in
            guard call.request.prompt == "bad" else { return .success(ProviderAnswer(.text("good"))) }
            return .success(ProviderAnswer(streamed: .text))
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            for (prompt, told): (Prompt, String) in [("bad", " = "), ("next to nothing", "[good] = good")] {
                let request = AIRequest(prompt: prompt, streaming: isStreaming ? StreamingPolicy() : nil)
                try await manager.submit(request, to: "scripted")
                #expect(try await engine.soon { try await read(manager, request.id) } == told)
                #expect(try await manager.attempts(for: request.id).map(\.billing) == [.billed])
            }
        }
    }

    /// Has an id and nothing else.
    private struct Idler: AIServiceProvider {
        let id: ProviderID = "idler"
        let responseType = ContentType.text
        let limits = ProviderLimits(concurrency: 1)
    }

    @Test("A provider that implements neither form fails each request with an invalidConfiguration error")
    func neitherForm() async throws {
        let engine = try Engine([Idler(), ScriptedProvider()])
        let manager = engine.manager
        try await engine.run {
            for prompt: Prompt in ["neither", "neither again"] {
                let request = AIRequest(prompt: prompt, streaming: StreamingPolicy())
                try await manager.submit(request, to: "idler")
                #expect(try await engine.soon { try await read(manager, request.id) } == " invalid-configuration")
                let attempts = try await manager.attempts(for: request.id)
                #expect(attempts.map(\.billing) == [.neverSent], "it is not tried again, and costs nothing")
                #expect(attempts.first?.error?.message.contains("Implement one.") == true)
            }
            #expect(try await text(manager.execute(AIRequest(prompt: "neither"), with: "scripted")) == "neither")
        }
    }
}
