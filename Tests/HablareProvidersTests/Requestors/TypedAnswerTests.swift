import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import HablareStores
import HablareStructured
import Testing

@testable import HablareProviders

/// The metadata of the services' providers is read by typed requestors, and the requestors' settings are accepted by
/// the providers.
@Suite(.timeLimit(.minutes(5))) struct TypedAnswerTests {
    private struct Person: Codable, Sendable, Equatable {
        let name: String
        let age: Int
    }

    private static func schema() throws -> JSONSchema {
        try JSONSchema([
            "type": "object", "properties": ["name": ["type": "string"], "age": ["type": "integer", "minimum": 0]],
            "required": ["name", "age"], "additionalProperties": false,
        ])
    }

    /// Returns an engine with every provider of a service, under the names that the command uses.
    private func manager(
        _ answer: @escaping @Sendable (HTTPCall) async throws -> HTTPAnswer
    ) throws -> (AIRequestManager, ScriptedTransport) {
        let transport = ScriptedTransport(answer)
        let openAI = try OpenAIBench().service(transport)
        let anthropic = AnthropicService(
            address: try ServiceAddress(AnthropicService.defaultAddress), transport: transport,
            key: { () throws(AIServiceError) in try APIKey("sk-ant-api03-0123456789abcdef") },
            catalog: .empty)
        let voices = ElevenLabsService(
            address: try ServiceAddress(ElevenLabsService.defaultAddress), transport: transport,
            key: { () throws(AIServiceError) in try APIKey("sk_0123456789abcdef") })
        let providers: [any AIServiceProvider] = [
            OpenAIChatProvider("openai", service: openAI, model: "gpt-4.1-mini"),
            OpenAIChatProvider("openai.structured", service: openAI, model: "gpt-4.1-mini", form: .structured),
            OpenAIResponsesProvider("responses", service: openAI, model: "gpt-4.1-mini"),
            OpenAIResponsesProvider("responses.structured", service: openAI, model: "gpt-4.1-mini", form: .structured),
            OpenAISpeechProvider("openai.speech", service: openAI, model: "gpt-4o-mini-tts"),
            OpenAIImageProvider("openai.image", service: openAI, model: "gpt-image-1.5"),
            OpenAIEmbeddingProvider("openai.embedding", service: openAI, model: "text-embedding-3-small"),
            AnthropicMessagesProvider(service: anthropic),
            AnthropicMessagesProvider(id: "anthropic.structured", service: anthropic, form: .structured),
            ElevenLabsSpeechProvider(service: voices),
        ]
        let manager = AIRequestManager(
            store: InMemoryStore(), providers: try ProviderRegistry(providers),
            configuration: EngineConfiguration(retry: RetryPolicy(maximumAttempts: 1)))
        return (manager, transport)
    }

    private static func chat(_ message: String, _ finish: String) -> HTTPAnswer {
        .json(#"{"id":"c","model":"m","choices":[{"index":0,"message":\#(message),"finish_reason":"\#(finish)"}]}"#)
    }

    private static func response(_ status: String, _ content: String, _ more: String = "") -> HTTPAnswer {
        .json(
            #"{"id":"r","model":"m","status":"\#(status)","output":[{"type":"message","role":"assistant","content":[\#(content)]}]\#(more)}"#
        )
    }

    private static func message(_ reason: String) -> HTTPAnswer {
        .events(
            AnthropicStreams.start + AnthropicStreams.text(0, "Hi") + AnthropicStreams.end(reason)
                + AnthropicStreams.stop)
    }

    // MARK: Text

    @Test("Finish reasons are the same words from every service")
    func finishReasons() async throws {
        let words = #"{"role":"assistant","content":"Hi"}"#
        let text = #"{"type":"output_text","text":"Hi"}"#
        let cases: [(String, HTTPAnswer, FinishReason)] = [
            ("openai", Self.chat(words, "stop"), .stop), ("openai", Self.chat(words, "length"), .length),
            ("openai", Self.chat(words, "content_filter"), .contentFilter),
            ("openai", Self.chat(#"{"role":"assistant","content":null,"refusal":"No."}"#, "stop"), .refusal),
            ("responses", Self.response("completed", text), .stop),
            (
                "responses",
                Self.response("incomplete", text, #","incomplete_details":{"reason":"max_output_tokens"}"#), .length
            ),
            (
                "responses", Self.response("incomplete", text, #","incomplete_details":{"reason":"content_filter"}"#),
                .contentFilter
            ),
            ("responses", Self.response("completed", #"{"type":"refusal","refusal":"No."}"#), .refusal),
            ("anthropic", Self.message("end_turn"), .stop), ("anthropic", Self.message("stop_sequence"), .stop),
            ("anthropic", Self.message("max_tokens"), .length), ("anthropic", Self.message("refusal"), .refusal),
        ]
        for (service, answer, reason) in cases {
            let (manager, _) = try manager { _ in answer }
            let requestor = try TextRequestor("\(service).text.default")
            let output = try await EngineService.run(manager) { try await requestor.ask("Hello.", manager: manager) }
            #expect(output.finishReason == reason, "\(service)")
        }
    }

    @Test("The tool calls of a model are read, and their results are sent back to it", arguments: [true, false])
    func tools(isAnthropic: Bool) async throws {
        let (manager, transport) = try manager { call in
            if call.text.contains("22 degrees") {
                return isAnthropic
                    ? .events(AnthropicStreams.hello) : Self.chat(#"{"role":"assistant","content":"Hi"}"#, "stop")
            }
            let calls =
                #"{"role":"assistant","content":null,"tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Córdoba\"}"}},{"id":"toolu_2","type":"function","function":{"name":"time","arguments":"{}"}}]}"#
            return isAnthropic ? .events(AnthropicStreams.tools) : Self.chat(calls, "tool_calls")
        }
        let tools = [ToolDefinition(name: "weather", description: "Says it."), ToolDefinition(name: "time")]
        let requestor = try TextRequestor(
            "\(isAnthropic ? "anthropic" : "openai").text.default",
            TextConfiguration(tools: tools, toolChoice: .tool("weather")))
        try await EngineService.run(manager) {
            var conversation = Conversation(instructions: "Be brief.")
            conversation.say("How is it?")
            let first = try await requestor.ask(conversation.prompt, manager: manager)
            #expect(first.finishReason == .toolCalls)
            #expect(
                first.toolCalls == [
                    ToolCall(id: "toolu_1", name: "weather", arguments: ["city": "Córdoba"]),
                    ToolCall(id: "toolu_2", name: "time", arguments: [:]),
                ])
            conversation.append(first)
            for call in first.toolCalls { conversation.append("22 degrees", of: call) }
            let second = try await requestor.ask(conversation.prompt, manager: manager)
            #expect(second.finishReason == .stop && second.toolCalls.isEmpty)
        }
        #expect(transport.calls.count == 2)
    }

    // MARK: Speech

    @Test("The times of a voice are read by the speech requestor")
    func times() async throws {
        let sound = Data(repeating: 0xFF, count: 1600)
        let (manager, transport) = try manager { _ in .json(ElevenLabsBench.timed(sound, "Hi you. Yes!", from: 0)) }
        let requestor = try SpeechRequestor(
            "elevenlabs.speech.default",
            SpeechConfiguration(
                voice: ElevenLabsBench.voice, speed: 1.1, format: "mp3", language: "en", timestamps: true, seed: 7))
        let request = try requestor.request("Hi you. Yes!", after: "Before.", before: "After.")
        let output = try await EngineService.run(manager) { try await requestor.ask(request, manager: manager) }
        #expect(output.value == Body(sound) && output.format == .mp3)
        #expect(output.words.map(\.text) == ["Hi", "you", "Yes"] && output.words.map(\.start) == [0, 0.3, 0.8])
        #expect(
            output.sentences == [
                SpokenTime(text: "Hi you.", start: 0, end: 0.6), SpokenTime(text: "Yes!", start: 0.8, end: 1.1),
            ])
        let sent = try #require(transport.calls.last?.json)
        #expect(sent[member: "previous_text"] == "Before." && sent[member: "next_text"] == "After.")
        #expect(sent[member: "voice_settings"]?[member: "speed"] == 1.1 && sent[member: "seed"] == 7)
    }

    @Test("OpenAI's speech, pictures and vectors are read by their requestors, with all their settings")
    func others() async throws {
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1])
        let (manager, _) = try manager { call in
            switch call.url.lastPathComponent {
            case "speech": .of("audio/mpeg", Data("sound".utf8))
            case "embeddings":
                .json(#"{"data":[{"index":1,"embedding":[0.5,1]},{"index":0,"embedding":[0.5,1]}],"model":"m"}"#)
            default: .json(#"{"data":[{"b64_json":"\#(png.base64EncodedString())","revised_prompt":"A fine cat"}]}"#)
            }
        }
        let voice = try SpeechRequestor(
            "openai.speech.default",
            SpeechConfiguration(voice: "nova", speed: 1.5, format: "mp3", instructions: "Softly."))
        let brush = try ImageRequestor(
            "openai.image.default",
            ImageConfiguration(
                size: ImageConfiguration.Size(width: 1024, height: 1536), quality: "high", background: "opaque",
                format: .png))
        let index = try EmbeddingRequestor("openai.embedding.default", EmbeddingConfiguration(dimensions: 2))
        try await EngineService.run(manager) {
            let sound = try await voice.ask("Hello.", manager: manager)
            #expect(sound.value == "sound" && sound.format == .mp3 && sound.words.isEmpty)
            let picture = try await brush.ask("A cat.", manager: manager)
            #expect(picture.value == Body(png) && picture.format == .png && picture.revisedPrompt == "A fine cat")
            let vectors = try await index.ask(["a", "b"], manager: manager)
            #expect(vectors.map(\.value) == [[0.5, 1], [0.5, 1]])
        }
    }

    @Test("Every text setting of a service is accepted by its provider", arguments: ["openai", "anthropic"])
    func settings(service: String) async throws {
        let isAnthropic = service == "anthropic"
        let (manager, transport) = try manager { _ in
            isAnthropic ? Self.message("end_turn") : Self.chat(#"{"role":"assistant","content":"Hi"}"#, "stop")
        }
        let requestor = try TextRequestor(
            "\(service).text.default",
            TextConfiguration(
                temperature: 0.5, topP: 0.75, maximumTokens: 100, stop: ["END"], seed: isAnthropic ? nil : 7,
                reasoningEffort: .low, tools: [ToolDefinition(name: "look")], toolChoice: .required,
                extra: ["user": "x"]))
        _ = try await EngineService.run(manager) { try await requestor.ask("Hello.", manager: manager) }
        let sent = try #require(transport.calls.last?.json)
        #expect(sent[member: "temperature"] == 0.5 && sent[member: "top_p"] == 0.75 && sent[member: "user"] == "x")
    }

    // MARK: Values

    @Test(
        "A value that a service has parsed is still validated and repaired",
        arguments: ["openai", "responses", "anthropic"])
    func values(service: String) async throws {
        let (manager, transport) = try manager { call in
            let isRepair = call.text.contains("age must be a number of at least 0")
            let json = #"{\"name\":\"Ada\",\"age\":\#(isRepair ? 36 : -1)}"#
            switch service {
            case "openai": return Self.chat(#"{"role":"assistant","content":"\#(json)"}"#, "stop")
            case "responses": return Self.response("completed", #"{"type":"output_text","text":"\#(json)"}"#)
            default:
                let block = AnthropicStreams.text(0, #"{\"name\":\"Ada\","#, #"\"age\":\#(isRepair ? 36 : -1)}"#)
                return .events(AnthropicStreams.start + block + AnthropicStreams.end() + AnthropicStreams.stop)
            }
        }
        let requestor = try StructuredRequestor<Person>(
            "\(service).structured.default", StructuredConfiguration(schema: Self.schema(), schemaName: "person"))
        let output = try await EngineService.run(manager) { try await requestor.ask("Who?", manager: manager) }
        #expect(output.value == Person(name: "Ada", age: 36) && output.repairs == 1)
        #expect(transport.calls.count == 2)
        #expect(transport.calls.allSatisfy { $0.text.contains(#""additionalProperties":false"#) })
    }
}
