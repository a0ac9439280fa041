import Foundation
import Hablare
import HablareSupport
import HablareTestKit
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The article's provider: the request it sends, the result it makes of a reply, and its length.
@Suite(.timeLimit(.minutes(5))) struct WritingAProviderTests {
    private let reply = Data(
        #"{"choices":[{"message":{"role":"assistant","content":"Good morning."}}],"usage":{"prompt_tokens":7,"completion_tokens":3}}"#
            .utf8)

    private func provider(
        status: Int = 200, headers: [String: String] = [:], answering data: Data, key: String? = nil,
        sees: @escaping @Sendable (URLRequest) -> Void = { _ in }
    ) throws -> ChatProvider {
        let url = try #require(URL(string: "http://localhost:11434/v1"))
        return ChatProvider(id: "chat", baseURL: url, model: "small", key: key) { request in
            sees(request)
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: headers)
            return (data, try #require(response))
        }
    }

    @Test("The article shows the whole provider in fewer than 100 lines")
    func isShort() throws {
        let path = "Tests/HablareTests/Documentation/Snippets/ChatProvider.swift"
        let code = try Repository.text(of: path)
        #expect(code.split(separator: "\n", omittingEmptySubsequences: false).count < 100)
        let article = try #require(try Document.all().first { $0.path.hasSuffix("WritingAProvider.md") })
        #expect(article.blocks.contains { $0.code == code.trimmingCharacters(in: .newlines) })
    }

    @Test("The article's provider sends the prompt and returns the text and its usage")
    func answers() async throws {
        let seen = Locked<[URLRequest]>([])
        let provider = try provider(answering: reply, key: "secret") { request in seen.withLock { $0.append(request) } }
        let engine = try Engine([provider])
        let response = try await engine.run { [manager = engine.manager] in
            try await manager.execute(AIRequest(prompt: "Say good morning."), with: "chat")
        }
        #expect(try await response.text() == "Good morning.")
        #expect(response.usage.inputTokens == 7 && response.usage.outputTokens == 3)
        let request = try #require(seen.withLock { $0 }.first)
        #expect(request.url?.absoluteString == "http://localhost:11434/v1/chat/completions")
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer secret")
        let body = String(decoding: try #require(request.httpBody), as: UTF8.self)
        #expect(body.contains("Say good morning.") && body.contains(#""model":"small""#))
    }

    @Test(
        "An HTTP status maps to retry, fail or needsUser",
        arguments: [
            (200, nil, nil), (400, nil, .fail), (401, nil, .needsUser), (402, nil, .needsUser), (404, nil, .fail),
            (429, "7", .retry(after: .seconds(7))), (429, nil, .retry(after: nil)), (500, nil, .retry(after: nil)),
            (503, "1.5", .retry(after: .milliseconds(1500))), (302, nil, .fail), (0, nil, .fail),
        ] as [(Int, String?, FailureDisposition?)])
    func statuses(status: Int, retryAfter: String?, disposition: FailureDisposition?) {
        #expect(ChatProvider.failure(status: status, retryAfter: retryAfter)?.disposition == disposition)
    }

    @Test("The server's Retry-After reaches the engine")
    func retryAfter() async throws {
        let provider = try provider(status: 429, headers: ["Retry-After": "42"], answering: Data())
        let result = await provider.generate(ProviderCall(request: AIRequest(prompt: "hello")))
        #expect(throws: AIServiceError.self) { try result.get() }
        guard case .failure(let error) = result else { return }
        #expect(error.code == .rateLimited && error.retryAfter == .seconds(42))
    }

    @Test(
        "A connection error tells whether the call may have been billed",
        arguments: [
            (.timedOut, .outcomeUnknown), (.networkConnectionLost, .outcomeUnknown),
            (.cannotConnectToHost, .retry(after: nil)), (.notConnectedToInternet, .retry(after: nil)),
            (.cancelled, .fail),
        ] as [(URLError.Code, FailureDisposition)])
    func connections(code: URLError.Code, disposition: FailureDisposition) {
        #expect(ChatProvider.failure(of: code).disposition == disposition)
    }

    @Test("A reply without an answer is an invalidResponse error", arguments: ["", "{}", #"{"choices":[]}"#, "<html>"])
    func nonsense(text: String) async throws {
        let result = await (try provider(answering: Data(text.utf8))).generate(
            ProviderCall(request: AIRequest(prompt: "hello")))
        guard case .failure(let error) = result else {
            Issue.record("It was taken for an answer")
            return
        }
        #expect(error.code == .invalidResponse)
    }

    // MARK: Streaming

    /// Returns a provider that streams these lines, then throws the error if there is one.
    private func server(_ lines: [String], failing error: (any Error)? = nil) -> StreamingChatProvider {
        StreamingChatProvider(id: "chat") { _ in
            AsyncThrowingStream { continuation in
                for line in lines { continuation.yield(line) }
                continuation.finish(throwing: error)
            }
        }
    }

    private let events = [
        #"data: {"choices":[{"delta":{"role":"assistant"}}]}"#, "", ": a comment",
        #"data: {"choices":[{"delta":{"content":"Good "}}]}"#, #"data: {"choices":[{"delta":{"content":"morning."}}]}"#,
        #"data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}"#, "data: [DONE]",
    ]

    @Test("The streaming provider yields each piece and reports usage at the end, with or without a reader")
    func streams() async throws {
        let engine = try Engine([server(events)])
        try await engine.run { [manager = engine.manager] in
            let request = AIRequest(prompt: "Say good morning, slowly.", streaming: StreamingPolicy())
            let id = try await manager.submit(request, to: "chat")
            var pieces: [String] = []
            for try await element in try await manager.stream(for: id) {
                if case .chunk(let chunk) = element { pieces.append(chunk.text) }
            }
            #expect(pieces.joined() == "Good morning.")
            let whole = try await manager.execute(AIRequest(prompt: "Say it at once."), with: "chat")
            #expect(try await whole.text() == "Good morning.")
            #expect(whole.usage.inputTokens == 7 && whole.usage.outputTokens == 2)
        }
    }

    @Test("An error event in the middle of a stream is a provider failure, not a lost connection")
    func failsInTheMiddle() async throws {
        for (line, code) in [
            (#"data: {"error":{"message":"Overloaded."}}"#, AIServiceError.Code.providerFailed),
            (#"data:{"error":{"message":null}}"#, .providerFailed), ("data: {", .invalidResponse),
            (#"data: {"choices":7}"#, .invalidResponse),
        ] {
            let provider = server([events[3], line])
            guard case .failure(let error) = await provider.generate(ProviderCall(request: AIRequest(prompt: "x")))
            else {
                Issue.record("It succeeded: \(line)")
                continue
            }
            #expect(error.code == code, "\(line)")
        }
    }

    @Test("A stream that ends early or throws is a lost connection")
    func breaksOff() async throws {
        for provider in [
            server(Array(events.dropLast())),
            server(Array(events.prefix(4)), failing: URLError(.networkConnectionLost)),
        ] {
            guard case .failure(let error) = await provider.generate(ProviderCall(request: AIRequest(prompt: "x")))
            else {
                Issue.record("It succeeded")
                continue
            }
            #expect(error.code == .connectionLost)
        }
    }

    @Test("BackgroundProvider resumes the work of an earlier attempt and forgets work that is lost")
    func resumes() async throws {
        let begun = Locked(0)
        let known = Locked<Set<String>>(["work 1"])
        let provider = BackgroundProvider(id: "background") { _ in
            begun.withLock { count in
                count += 1
                return "work \(count)"
            }
        } finish: { name in
            if name == "work 2" { throw CancellationError() }
            return known.withLock { $0.contains(name) } ? ProviderAnswer(.text(Body(name))) : nil
        }
        func outcome(_ call: ProviderCall) async -> String {
            switch await provider.generate(call) {
            case .success: "answered"
            case .failure(let error): error.code.rawValue
            }
        }
        let resumePoint = Locked<[String?]>([])
        func call(_ handle: String?) -> ProviderCall {
            ProviderCall(
                request: AIRequest(prompt: "p"), resumePoint: handle.map { ResumePoint(handle: Data($0.utf8)) },
                handles: { handle in
                    resumePoint.withLock { $0.append(handle.map { String(decoding: $0, as: UTF8.self) }) }
                })
        }
        #expect(await outcome(call(nil)) == "answered")
        #expect(await outcome(call(nil)) == "connection-lost")
        #expect(await outcome(call("work 3")) == "work-lost")
        #expect(resumePoint.withLock { $0 } == ["work 1", "work 2", nil])
        #expect(begun.withLock { $0 } == 2, "what is remembered is not begun")
    }
}
