#if os(macOS) || os(Linux)
import Foundation
import Hablare
import HablareJSON
import HablareNetwork
import HablareSupport
import HablareTestServers
import Testing

@testable import HablareProviders

/// The Python that has the vendors' libraries.
private let libraries = ProcessInfo.processInfo.environment["HABLARE_SDKS"]

/// The vendors' own libraries of today and our providers, at the same server: both send the same, and read the same.
///
/// `scripts/sdk-test` installs the libraries and names their Python in `HABLARE_SDKS`. Otherwise the suite is skipped.
@Suite("Integration: the vendors' libraries", .enabled(if: libraries != nil), .timeLimit(.minutes(5)))
struct SDKWireTests {
    /// The providers at the server.
    private struct Services: Sendable {
        let openAI: OpenAIService
        let anthropic: AnthropicService
        let elevenLabs: ElevenLabsService
        let clock = JumpingClock()

        init(_ base: String, _ transport: any HTTPTransport) throws {
            func key(_ text: String) -> @Sendable () throws(AIServiceError) -> APIKey? {
                { () throws(AIServiceError) in try APIKey(text) }
            }
            openAI = OpenAIService(
                try ServiceAddress(base + "/v1"), transport: transport, key: key(OpenAIBench.key),
                compatibility: .openAI, date: { [clock] in clock.date })
            anthropic = AnthropicService(
                address: try ServiceAddress(base), transport: transport, key: key("sk-ant-api03-0123456789abcdef"),
                date: { [clock] in clock.date })
            elevenLabs = ElevenLabsService(
                address: try ServiceAddress(base), transport: transport, key: key("sk_0123456789abcdef"))
        }
    }

    /// A call that both make.
    private struct Case: Sendable {
        /// The name of the function in `sdk-calls.py`.
        let name: String
        /// The values that the vendor's library reads.
        let read: ParameterValue
        var differences: [WireDifference] = []
        /// Makes the call with our provider, which must succeed.
        let call: @Sendable (Services, UUID) async throws -> Void
    }

    /// A clock that jumps to the end of each sleep.
    private struct JumpingClock: Clock {
        private let jumped = Locked(Duration.zero)

        var date: Date { Date().addingTimeInterval(jumped.withLock { $0 } / .seconds(1)) }
        var now: ContinuousClock.Instant { ContinuousClock().now.advanced(by: jumped.withLock { $0 }) }
        var minimumResolution: Duration { .nanoseconds(1) }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            try Task.checkCancellation()
            await Task.yield()
            let rest = now.duration(to: deadline)
            jumped.withLock { $0 += max(.zero, rest) }
        }
    }

    // MARK: Differences

    private static let notStreamed = WireDifference("stream", "We say false, which is the default.")
    private static let alwaysStreamed = WireDifference("stream", "We always stream, so that a long answer can go on.")
    private static let claudesHead = [
        WireDifference("authorization", "The library sends the key as a bearer token, too; the API takes both."),
        WireDifference("x-api-key", "We send the key in this field alone, which older gateways know."),
        WireDifference(
            "anthropic-version", "2023-06-01 takes temperature and top_p for the older models; 2026-10-21 does not."),
    ]

    // MARK: Cases

    private static let tool = ToolDefinition(
        name: "weather", description: "The weather.",
        parameters: ["type": "object", "properties": ["city": ["type": "string"]], "required": ["city"]])
    private static let toolParameter = ToolDefinition.parameter([tool])
    private static let recording = Prompt.messages([
        .init(role: .user, parts: [.audio(Body(WireAnswers.wave), .wav), .text("Call me Ishmael.")])
    ])

    private static func chat(
        _ name: String, _ read: ParameterValue, _ parameters: [String: ParameterValue] = [:], streams: Bool = false
    ) -> Case {
        Case(name: name, read: read, differences: streams ? [] : [notStreamed]) { services, _ in
            let request = AIRequest(
                prompt: "How is it?", parameters: parameters, streaming: streams ? StreamingPolicy() : nil)
            let provider = OpenAIChatProvider("openai", service: services.openAI, model: "gpt-6-luna")
            _ = try await provider.answering(request).result.get()
        }
    }

    private static func responsesTools(_ name: String, _ parameters: [String: ParameterValue]) -> Case {
        Case(
            name: name, read: ["weather", "Córdoba", "c2VjcmV0", "Grüß 🌍", "Grüß 🌍"], differences: [notStreamed]
        ) { services, _ in
            let provider = OpenAIResponsesProvider("openai", service: services.openAI, model: "gpt-6-luna")
            try await twoTurns(
                of: provider, parameters.merging(["tools": toolParameter]) { $1 }, streams: [false, true])
        }
    }

    /// Returns a call that the service refuses with a status. Both report the status and the service's message.
    private static func refused(
        _ name: String, _ status: Int, differences: [WireDifference],
        by provider:
            @escaping @Sendable (Services) ->
            any AIServiceProvider, _ parameters: [String: ParameterValue] = [:]
    ) -> Case {
        let isFast = status == 429
        return Case(
            name: name,
            read: [
                .int(Int64(status)), isFast ? "RateLimitError" : "BadRequestError",
                .string(WireAnswers.refusedBecause), isFast ? "7" : nil,
            ], differences: differences
        ) { services, _ in
            let request = AIRequest(
                prompt: .text(isFast ? WireAnswers.fastPrompt : WireAnswers.refusedPrompt), parameters: parameters)
            let failure = try #require(await provider(services).answering(request).failure)
            #expect(failure.code == (isFast ? .rateLimited : .invalidRequest))
            #expect(failure.disposition == (isFast ? .retry(after: .seconds(7)) : .fail))
            #expect(failure.cause?.hasPrefix("status \(status)") == true)
            #expect(failure.cause?.hasSuffix(WireAnswers.refusedBecause) == true, "\(failure.cause ?? "")")
        }
    }

    private static func refusedChat(_ name: String, _ status: Int) -> Case {
        refused(name, status, differences: [notStreamed]) {
            OpenAIChatProvider("openai", service: $0.openAI, model: "gpt-6-luna")
        }
    }

    private static func refusedMessage(_ name: String, _ status: Int) -> Case {
        refused(
            name, status, differences: claudesHead + [alwaysStreamed],
            by: { AnthropicMessagesProvider(service: $0.anthropic) }, ["max_tokens": 500])
    }

    private static let openAI: [Case] = [
        refusedChat("chat_refused", 400), refusedChat("chat_rate_limited", 429),
        chat("chat", ["Hello", "stop", 9], ["max_tokens": 50, "temperature": 0.5, "seed": 7, "stop": ["END"]]),
        chat("chat_streamed", ["Grüß 🌍", 9], streams: true),
        // The model takes tools in this API only without reasoning, so the provider turns it off.
        chat("chat_tools", ["call_1", "weather", "Córdoba"], ["tools": toolParameter, "tool_choice": "auto"]),
        chat(
            "chat_schema", ["Paris"],
            ["schema": ["type": "object", "properties": ["city": ["type": "string"]], "required": ["city"]]]),
        Case(name: "responses", read: ["Hello", "completed", 9], differences: [notStreamed]) { services, _ in
            let provider = OpenAIResponsesProvider("openai", service: services.openAI, model: "gpt-6-luna")
            let request = AIRequest(
                prompt: "How is it?", parameters: ["max_tokens": 50, "instructions": "Be brief."])
            _ = try await provider.answering(request).result.get()
        },
        responsesTools("responses_tools", ["reasoning_effort": "low"]),
        // The model reasons by itself, so its reasoning must go back, too.
        responsesTools("responses_without_effort", [:]),
        Case(name: "embeddings", read: [0.5, -1.25, 5]) { services, _ in
            let provider = OpenAIEmbeddingProvider(
                "openai.embedding", service: services.openAI, model: "text-embedding-3-small")
            let answer = try await provider.answering(AIRequest(prompt: "hello", parameters: ["dimensions": 2]))
                .result.get()
            #expect(answer.content == .embedding([0.5, -1.25]))
        },
        Case(name: "images", read: [.string(WireAnswers.png.base64EncodedString()), 7]) { services, _ in
            let provider = OpenAIImageProvider("openai.image", service: services.openAI, model: "gpt-image-2.6-flare")
            let request = AIRequest(
                prompt: "A cat", parameters: ["size": "1024x1024", "quality": "high", "format": "png"])
            let answer = try await provider.answering(request).result.get()
            #expect(answer.content == .image(Body(WireAnswers.png), .png))
        },
        Case(name: "image_edits", read: [.string(WireAnswers.png.base64EncodedString())]) { services, _ in
            let provider = OpenAIImageProvider("openai.image", service: services.openAI, model: "gpt-image-2.6-flare")
            let picture = Prompt.Part.image(Body(WireAnswers.png), .png)
            let request = AIRequest(
                prompt: .messages([.init(role: .user, parts: [.text("Add a hat."), picture, picture])]),
                parameters: ["size": "1024x1024"])
            _ = try await provider.answering(request).result.get()
        },
        Case(name: "speech", read: [.string(String(decoding: WireAnswers.sound, as: UTF8.self))]) { services, _ in
            let provider = OpenAISpeechProvider(
                "openai.speech", service: services.openAI, model: "gpt-4o-mini-tts", voice: "alloy")
            let request = AIRequest(
                prompt: "Hello.", parameters: ["format": "mp3", "speed": 1.25, "instructions": "Softly."])
            let answer = await provider.answering(request)
            #expect(answer.yielded == WireAnswers.sound)
        },
        Case(name: "transcription", read: ["Hello there.", 14]) { services, _ in
            let provider = OpenAITranscriptionProvider("openai.transcription", service: services.openAI)
            let request = AIRequest(prompt: recording, parameters: ["language": "en"])
            let answer = try await provider.answering(request).result.get()
            #expect(answer.content == .text("Hello there."))
        },
        Case(name: "batches", read: ["completed", true, "Hello", ""]) { services, id in
            let live = OpenAIChatProvider("openai", service: services.openAI, model: "gpt-6-luna")
            let answer = try await batched(
                live.batched(
                    as: "batch", reserve: 1800, rules: BatchBoard.Rules(maximumRequests: 1), clock: services.clock,
                    taskExecutor: nil), id)
            #expect(answer.content == .text("Hello"))
        },
        Case(name: "openai_models", read: ["gpt-6-luna"]) { services, _ in
            let models = try await services.openAI.models()
            #expect(models.map(\.id) == ["gpt-6-luna"])
        },
    ]

    private static func messages(
        _ name: String, _ read: ParameterValue, _ parameters: [String: ParameterValue],
        differences: [WireDifference] = []
    ) -> Case {
        Case(name: name, read: read, differences: claudesHead + differences) { services, _ in
            let request = AIRequest(
                prompt: "How is it?", parameters: parameters.merging(["max_tokens": 500]) { $1 },
                streaming: StreamingPolicy())
            _ = try await AnthropicMessagesProvider(service: services.anthropic).answering(request).result.get()
        }
    }

    private static let anthropic: [Case] = [
        refusedMessage("messages_refused", 400), refusedMessage("messages_rate_limited", 429),
        messages("messages", ["Good day", "end_turn"], ["stop": ["END"]], differences: [alwaysStreamed]),
        messages("messages_streamed", [.string(AnthropicStreams.helloText), "end_turn"], [:]),
        Case(
            name: "messages_tools",
            read: ["tool_use", ["weather", "time"], "EqQB=", .string(AnthropicStreams.helloText)],
            differences: claudesHead
        ) { services, _ in
            let tools = ["weather", "time"].map {
                ToolDefinition(name: $0, description: $0, parameters: tool.parameters)
            }
            try await twoTurns(
                of: AnthropicMessagesProvider(service: services.anthropic),
                [
                    "tools": ToolDefinition.parameter(tools), "max_tokens": 500, "instructions": "Be brief.",
                    "thinking": "adaptive", "reasoning_effort": "low",
                ], streams: [true, true])
        },
        Case(
            name: "message_batches", read: ["ended", true, "Good day"], differences: claudesHead
        ) { services, id in
            let live = AnthropicMessagesProvider(service: services.anthropic)
            let answer = try await batched(
                live.batched(
                    as: "batch", reserve: 1800, rules: BatchBoard.Rules(maximumRequests: 1), clock: services.clock,
                    taskExecutor: nil), id)
            #expect(answer.content == .text("Good day"))
        },
        Case(name: "anthropic_models", read: ["claude-sonnet-5-5"], differences: claudesHead) { services, _ in
            let models = try await services.anthropic.models()
            #expect(models.map(\.id) == ["claude-sonnet-5-5"])
        },
    ]

    private static let elevenLabs: [Case] = [
        Case(name: "elevenlabs_speech", read: [.string(String(decoding: WireAnswers.sound, as: UTF8.self))]) {
            services, _ in
            let answer = try await speech(services, [:])
            #expect(answer.yielded == WireAnswers.sound)
        },
        Case(name: "elevenlabs_times", read: ["Hi you.", 2, 0.5]) { services, _ in
            let answer = try await speech(services, ["timestamps": true])
            let metadata = try answer.metadata
            #expect(answer.yielded == WireAnswers.sound && metadata["word_times"] != nil)
        },
        Case(
            name: "elevenlabs_transcription", read: ["Hi you.", 0.1, "speaker_0"],
            differences: ["entity_detection", "entity_redaction", "webhook_metadata"].map {
                WireDifference($0, "The library sends the text null where it is not given.")
            }
        ) { services, _ in
            let provider = ElevenLabsTranscriptionProvider(service: services.elevenLabs)
            let request = AIRequest(
                prompt: .messages([.init(role: .user, parts: [.audio(Body(WireAnswers.wave), .wav)])]),
                parameters: ["language": "en", "diarize": true, "num_speakers": 2, "keyterms": ["Moby", "Ahab"]])
            let answer = try await provider.answering(request).result.get()
            #expect(answer.content == .text("Hi you."))
        },
    ]

    private static func speech(
        _ services: Services, _ more: [String: ParameterValue]
    ) async throws -> CallResult {
        let provider = ElevenLabsSpeechProvider(
            service: services.elevenLabs, model: "eleven_multilingual_v2", defaultVoice: WireAnswers.voice)
        let parameters: [String: ParameterValue] = [
            "stability": 0.5, "similarity_boost": 0.75, "seed": 7, "format": "mp3_44100_128",
        ]
        let result = await provider.answering(
            AIRequest(prompt: "Hi you.", parameters: parameters.merging(more) { $1 }))
        _ = try result.result.get()
        return result
    }

    /// Asks a model that calls tools, and asks again with their results and the model's thinking.
    private static func twoTurns(
        of provider: some AIServiceProvider, _ parameters: [String: ParameterValue], streams: [Bool]
    ) async throws {
        var messages = [Prompt.Message(role: .user, text: "How is it?")]
        var parameters = parameters
        for isStreamed in streams {
            let asked = AIRequest(
                prompt: .messages(messages), parameters: parameters,
                streaming: isStreamed ? StreamingPolicy() : nil)
            let result = await provider.answering(asked)
            let answer = try result.result.get()
            let response = AIResponseData(
                requestID: asked.id, providerID: provider.id, result: .success(answer.content),
                metadata: answer.metadata, receivedAt: Date())
            let calls = try response.toolCalls
            messages.append(
                Prompt.Message(
                    role: .assistant,
                    parts: (result.text.isEmpty ? [] : [.text(result.text)])
                        + calls.map { .toolCall(id: $0.id, name: $0.name, arguments: $0.arguments) }))
            messages += calls.map {
                Prompt.Message(role: .tool, parts: [.toolResult(id: $0.id, content: "22 degrees")])
            }
            if let thought = answer.metadata["thinking"] { parameters["thinking_blocks"] = [.string(thought)] }
        }
    }

    /// Answers one request by a batch.
    private static func batched(_ provider: VendorBatchProvider, _ id: UUID) async throws -> ProviderAnswer {
        try await provider.answering(
            AIRequest(
                id: id, prompt: "How is it?",
                parameters: provider.defaultModel?.hasPrefix("claude") == true ? ["max_tokens": 500] : [:],
                deadline: Date().addingTimeInterval(48 * 3600))
        ).result.get()
    }

    // MARK: The comparison

    @Test("The libraries and our providers send the same calls, and read the same answers")
    func agree() async throws {
        let id = UUID.timeOrdered()
        let answers = WireAnswers(requestID: id)
        try await LoopbackServer.withServer {
            answers.reply(to: $0)
        } _: { server in
            let read = try await Self.runLibraries(server.base, id)
            // Calls that a library makes by itself, as before it fetches a batch's results, say no case.
            let fromLibraries = Dictionary(grouping: server.calls.map(\.call)) { $0.field("x-case") ?? "" }
            try await withTransport { transport in
                let services = try Services(server.base, transport)
                for row in Self.openAI + Self.anthropic + Self.elevenLabs {
                    #expect(read[row.name] == row.read, "\(row.name): the library reads it")
                    let before = server.calls.count
                    do {
                        try await row.call(services, id)
                    } catch {
                        Issue.record(error, "\(row.name): our provider")
                    }
                    let ours = try server.calls.dropFirst(before).map { try WireCall($0.call) }
                    let theirs = try (fromLibraries[row.name] ?? []).map { try WireCall($0) }
                    #expect(
                        ours.map { $0.without(row.differences) } == theirs.map { $0.without(row.differences) },
                        "\(row.name)")
                    for difference in row.differences {
                        let isOne = zip(ours, theirs).contains {
                            $0.without([difference]) != $0 || $1.without([difference]) != $1
                        }
                        #expect(isOne, "\(row.name): \(difference.name) is no difference any more")
                    }
                }
            }
            #expect(Set(read.keys) == Set((Self.openAI + Self.anthropic + Self.elevenLabs).map(\.name)))
        }
    }

    /// Runs the script with the libraries, and returns what they read, by case.
    private static func runLibraries(_ base: String, _ id: UUID) async throws -> [String: ParameterValue] {
        var folder = URL(filePath: #filePath)
        while folder.lastPathComponent != "Tests" { folder.deleteLastPathComponent() }
        let script = folder.deletingLastPathComponent().appending(path: "scripts/sdk-calls.py")
        let process = Process()
        process.executableURL = URL(filePath: try #require(libraries))
        process.arguments = [script.path, base, id.uuidString.lowercased()]
        process.environment = ["PATH": "/usr/bin:/bin", "NO_PROXY": "127.0.0.1", "PYTHONDONTWRITEBYTECODE": "1"]
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // The script writes less than a pipe holds, so it ends before anything is read.
        while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").reduce(into: [:]) { read, line in
            let row = ParameterValue(json: Data(line.utf8)) ?? .null
            if let error = row[member: "error"] { Issue.record("\(row[member: "case"]?.string ?? ""): \(error)") }
            if let name = row[member: "case"]?.string { read[name] = row[member: "read"] ?? .null }
        }
    }
}
#endif
