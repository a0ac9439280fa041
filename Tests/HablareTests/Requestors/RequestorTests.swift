import Foundation
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStructured

/// Each requestor with a real engine: its request and its output.
@Suite(.timeLimit(.minutes(5)))
struct RequestorTests {
    private static func answering(
        _ content: ResponseContent, as id: ProviderID = "service", metadata: [String: String] = [:]
    ) -> ScriptedProvider {
        ScriptedProvider(id: id, responseType: content.type) { _ in
            .success(ProviderAnswer(content, metadata: metadata, usage: Usage(outputTokens: 1)))
        }
    }

    @Test("TextRequestor sends model, settings and prompt, and returns the text")
    func text() async throws {
        let provider = Self.answering(.text("Hello."), metadata: [AnswerMetadata.finishReason: "stop"])
        let engine = try Engine([provider])
        let requestor = try TextRequestor("service.text.small", TextConfiguration(temperature: 0.5))
        let output = try await engine.run { [manager = engine.manager] in
            try await requestor.ask("Greet me.", manager: manager)
        }
        #expect(output.value == "Hello." && output.finishReason == .stop && output.toolCalls.isEmpty)
        #expect(output.response.usage.outputTokens == 1)
        let sent = try #require(provider.record.calls.first?.request)
        #expect(sent.model == "small" && sent.parameters == ["temperature": 0.5] && sent.prompt == "Greet me.")
    }

    @Test("The default variant leaves the model to the provider")
    func defaultModel() throws {
        #expect(try TextRequestor("service.text.default").request("x").model == nil)
    }

    @Test("A conversation contains the model's answer, its tool calls and their results")
    func conversation() async throws {
        let call = ToolCall(id: "1", name: "weather", arguments: ["city": "Lima"])
        let provider = ScriptedProvider(id: "service") { call in
            guard case .messages(let messages) = call.request.prompt, messages.last?.role == .tool else {
                return .success(
                    ProviderAnswer(
                        .text(""),
                        metadata: [
                            AnswerMetadata.finishReason: "tool_calls",
                            AnswerMetadata.toolCalls: #"[{"id":"1","name":"weather","arguments":{"city":"Lima"}}]"#,
                        ]))
            }
            return .success(ProviderAnswer(.text("Sunny.")))
        }
        let engine = try Engine([provider])
        let tool = ToolDefinition(name: "weather", description: "Says the weather.")
        let requestor = try TextRequestor("service.text.small", TextConfiguration(tools: [tool]))
        let conversation = try await engine.run { [manager = engine.manager] in
            var conversation = Conversation(instructions: "Be brief.")
            conversation.say("How is it there?", showing: [(Body(Data([1])), .png)])
            let first = try await requestor.ask(conversation.prompt, manager: manager)
            #expect(first.toolCalls == [call] && first.finishReason == .toolCalls)
            conversation.append(first)
            for call in first.toolCalls { conversation.append("22 °C", of: call) }
            let second = try await requestor.ask(conversation.prompt, manager: manager)
            #expect(second.value == "Sunny.")
            conversation.append(second)
            return conversation
        }
        #expect(
            conversation.messages == [
                Prompt.Message(role: .system, text: "Be brief."),
                Prompt.Message(role: .user, parts: [.text("How is it there?"), .image(Body(Data([1])), .png)]),
                Prompt.Message(
                    role: .assistant, parts: [.toolCall(id: "1", name: "weather", arguments: ["city": "Lima"])]),
                Prompt.Message(role: .tool, parts: [.toolResult(id: "1", content: "22 °C")]),
                Prompt.Message(role: .assistant, text: "Sunny."),
            ])
        #expect(provider.record.calls.first?.request.parameters["tools"] == ToolDefinition.parameter([tool]))
    }

    @Test("A text is streamed in pieces and ends with the complete answer")
    func stream() async throws {
        let provider = ScriptedProvider(id: "service") { call in
            do {
                for piece in ["Once ", "upon ", "a time."] { try await call.yield(piece) }
                return .success(ProviderAnswer(streamed: .text, metadata: [AnswerMetadata.finishReason: "length"]))
            } catch {
                return .failure(AIServiceError(.providerFailed, "It cannot be yielded."))
            }
        }
        let engine = try Engine([provider])
        let requestor = try TextRequestor("service.text.small")
        try await engine.run { [manager = engine.manager] in
            var text = ""
            var last: TextRequestor.Output?
            for try await element in try await requestor.stream("Tell.", manager: manager) {
                switch element {
                case .text(let piece): text += piece
                case .restarted: text = ""
                case .finished(let output): last = output
                }
            }
            #expect(text == "Once upon a time.")
            #expect(last?.value == text && last?.finishReason == .length)
        }
        #expect(provider.record.calls.first?.isStreaming == true)
    }

    @Test("SpeechRequestor returns the audio, its format and its timestamps")
    func speech() async throws {
        let marks = [SpokenTime(text: "Hi", start: 0, end: 0.25), SpokenTime(text: "you", start: 0.25, end: 0.5)]
        let provider = Self.answering(
            .audio(Body(Data([1, 2])), .mp3), as: "service.speech",
            metadata: [
                AnswerMetadata.wordTimes: try #require(try SpokenTime.metadata(marks)),
                AnswerMetadata.sentenceTimes: #"[{"text":"Hi you","start":0,"end":0.5}]"#,
            ])
        let engine = try Engine([ScriptedProvider(id: "service"), provider])
        let requestor = try SpeechRequestor("service.speech.loud", SpeechConfiguration(voice: "nova", timestamps: true))
        let output = try await engine.run { [manager = engine.manager] in
            try await requestor.ask(
                requestor.request("Hi you", after: "Before.", before: "After."), manager: manager)
        }
        #expect(output.value == Body(Data([1, 2])) && output.format == .mp3)
        #expect(output.words == marks)
        #expect(output.sentences == [SpokenTime(text: "Hi you", start: 0, end: 0.5)])
        #expect(
            provider.record.calls.first?.request.parameters
                == ["voice": "nova", "timestamps": true, "previous_text": "Before.", "next_text": "After."])
    }

    @Test("Blank speech is refused before it is sent, and invalid timestamps when they are read")
    func badSpeech() async throws {
        let requestor = try SpeechRequestor("service.speech.loud")
        #expect(throws: AIServiceError.self) { _ = try requestor.request(" \n") }
        let response = AIResponseData(
            requestID: UUID(), providerID: "service", result: .success(.audio("x", .wav)),
            metadata: [AnswerMetadata.wordTimes: "[1]"], receivedAt: Date())
        #expect(await code { _ = try await requestor.output(of: response) } == .invalidResponse)
        #expect(try SpokenTime.metadata([]) == nil)
        #expect(throws: AIServiceError.self) {
            _ = try SpokenTime.metadata([SpokenTime(text: "", start: .nan, end: 0)])
        }
    }

    @Test("ImageRequestor returns the image, its format and the revised prompt")
    func image() async throws {
        let provider = Self.answering(
            .image(Body(Data([9])), .png), as: "service.image", metadata: [AnswerMetadata.revisedPrompt: "A red cat."])
        let engine = try Engine([provider])
        let size = ImageConfiguration.Size(width: 64, height: 32)
        let requestor = try ImageRequestor("service.image.brush", ImageConfiguration(size: size))
        let output = try await engine.run { [manager = engine.manager] in
            try await requestor.ask("A cat.", manager: manager)
        }
        #expect(output.value == Body(Data([9])) && output.format == .png && output.revisedPrompt == "A red cat.")
        #expect(provider.record.calls.first?.request.parameters == ["size": "64x32"])
    }

    @Test("EmbeddingRequestor returns a vector with the requested dimensions")
    func embedding() async throws {
        let provider = Self.answering(.embedding([0.5, 1]), as: "service.embedding")
        let engine = try Engine([provider])
        let requestor = try EmbeddingRequestor("service.embedding.v", EmbeddingConfiguration(dimensions: 2))
        let other = try EmbeddingRequestor("service.embedding.v", EmbeddingConfiguration(dimensions: 3))
        try await engine.run { [manager = engine.manager] in
            let output = try await requestor.ask("x", manager: manager)
            #expect(output.value == [0.5, 1])
            #expect(await code { _ = try await other.ask("x", manager: manager) } == .invalidResponse)
        }
    }

    @Test(
        "Embeddings of many texts keep their order, and each distinct text is sent once",
        arguments: [nil, JobKey(rawValue: "job")])
    func embeddings(job: JobKey?) async throws {
        let provider = ScriptedProvider(id: "service.embedding", responseType: .embedding) { call in
            .success(ProviderAnswer(.embedding([Float(call.request.prompt.plainText) ?? -1])))
        }
        let engine = try Engine([provider])
        let requestor = try EmbeddingRequestor("service.embedding.v")
        let texts = (0..<700).map(String.init) + ["3", "5"]
        try await engine.run { [manager = engine.manager] in
            let outputs = try await requestor.ask(texts, manager: manager, jobKey: job)
            #expect(outputs.map(\.value) == texts.map { [Float($0) ?? -1] })
            let snapshots = try await manager.snapshots(SnapshotFilter(job: job, limit: 1000))
            #expect(snapshots.count == 700)
            let nothing = try await requestor.ask([String](), manager: manager)
            #expect(nothing.isEmpty)
            if job != nil {
                _ = try await requestor.ask(texts, manager: manager, jobKey: job)
            }
        }
        #expect(provider.record.calls.count == 700)
    }

    @Test("Canonically equivalent but different texts have embeddings of their own")
    func sameForUnicode() async throws {
        let provider = ScriptedProvider(id: "service.embedding", responseType: .embedding) { call in
            .success(ProviderAnswer(.embedding([Float(call.request.prompt.plainText.unicodeScalars.count)])))
        }
        let engine = try Engine([provider])
        let requestor = try EmbeddingRequestor("service.embedding.v")
        let outputs = try await engine.run { [manager = engine.manager] in
            try await requestor.ask(["\u{E9}", "e\u{301}", "\u{E9}"], manager: manager)
        }
        #expect(outputs.map(\.value) == [[1], [2], [1]])
        #expect(provider.record.calls.count == 2)
    }

    @Test("Each requestor refuses an answer of another content type")
    func wrongKinds() async throws {
        func response(_ content: ResponseContent) -> AIResponseData {
            AIResponseData(requestID: UUID(), providerID: "p", result: .success(content), receivedAt: Date())
        }
        let (data, text) = (response(.data("x")), response(.text("x")))
        let schema = StructuredConfiguration(schema: try JSONSchema(true))
        #expect(await code { _ = try await TextRequestor("p.text.m").output(of: data) } == .invalidResponse)
        #expect(await code { _ = try await SpeechRequestor("p.speech.m").output(of: text) } == .invalidResponse)
        #expect(await code { _ = try await ImageRequestor("p.image.m").output(of: text) } == .invalidResponse)
        #expect(await code { _ = try await EmbeddingRequestor("p.embedding.m").output(of: text) } == .invalidResponse)
        #expect(
            await code { _ = try await StructuredRequestor<Int>("p.structured.m", schema).output(of: data) }
                == .invalidResponse)
    }

    @Test("In a job the named provider is asked, not the one of the requestor's id")
    func namedProvider() async throws {
        let named = ProviderID(rawValue: "service.structured@http://127.0.0.1:8080/v1")
        let provider = ScriptedProvider(id: named, responseType: .structured) { _ in
            .success(ProviderAnswer(.structured(7)))
        }
        let engine = try Engine([provider, ScriptedProvider(id: "sound", responseType: .audio)])
        let requestor = try StructuredRequestor<Int>(
            "service.structured.default", StructuredConfiguration(schema: try JSONSchema(true)))
        let (request, job) = (try requestor.request("x"), JobKey(rawValue: "job"))
        try await engine.run { [manager = engine.manager] in
            for (id, refusal) in [("nobody", AIServiceError.Code.providerNotFound), ("sound", .invalidConfiguration)] {
                let found = await code {
                    _ = try await requestor.ask(
                        request, manager: manager, jobKey: job, provider: ProviderID(rawValue: id))
                }
                #expect(found == refusal)
            }
            #expect(
                await code { _ = try await requestor.ask(request, manager: manager, jobKey: job) }
                    == .providerNotFound)
            let output = try await requestor.ask(request, manager: manager, jobKey: job, provider: named)
            #expect(output.value == 7)
            #expect(try await manager.snapshot(for: request.id).providerID == named)
        }
        #expect(provider.record.calls.count == 1)
    }

    @Test("A requestor whose provider is not registered sends nothing")
    func noProvider() async throws {
        let engine = try Engine()
        let requestor = try TextRequestor("nobody.text.small")
        #expect(await code { _ = try await requestor.ask("x", manager: engine.manager) } == .providerNotFound)
        #expect(try await engine.manager.snapshots().isEmpty)
    }

    @Test("A requestor's requests can be changed and submitted as a batch, and their responses read")
    func batch() async throws {
        let engine = try Engine([ScriptedProvider(id: "service")])
        let requestor = try TextRequestor("service.text.small")
        try await engine.run { [manager = engine.manager] in
            var requests = try ["a", "b"].map { try requestor.request(.text($0)) }
            for index in requests.indices { requests[index].tags = ["batch"] }
            let ids = try await manager.submit(
                requests, to: requestor.provider(in: manager), jobKey: JobKey(rawValue: "texts"))
            for (id, text) in zip(ids, ["a", "b"]) {
                #expect(try await requestor.output(of: manager.execute(requestID: id)).value == text)
            }
            #expect(try await manager.ledger(LedgerQuery(by: .tag)).rows.map(\.key) == ["batch"])
        }
    }
}
