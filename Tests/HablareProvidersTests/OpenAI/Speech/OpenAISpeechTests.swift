import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import HablareStores
import Testing

@testable import HablareProviders

@Suite struct OpenAISpeechTests {
    private static let provider: @Sendable (OpenAIService) -> any AIServiceProvider = {
        OpenAISpeechProvider("openai.speech", service: $0, model: "tts-1")
    }

    private static func sound(_ pieces: [String], length: Int? = nil, type: String = "audio/mpeg") -> HTTPAnswer {
        var fields: HTTPFields = [.contentType: type]
        if let length { fields[.contentLength] = String(length) }
        fields[named: "x-request-id"] = "req_1"
        return HTTPAnswer(status: 200, fields: fields, body: HTTPPieces(pieces.map { Data($0.utf8) }))
    }

    private func call(
        _ parameters: [String: ParameterValue] = [:], prompt: Prompt = "Gr\u{fc}ß dich", model: String? = nil,
        _ answer: HTTPAnswer = sound(["abc", "de"])
    ) async throws -> OpenAIBench.Outcome {
        try await OpenAIBench().call(AIRequest(prompt: prompt, model: model, parameters: parameters)) { _ in
            answer
        } _: {
            Self.provider($0)
        }
    }

    @Test("Sound is yielded as it arrives, and is counted")
    func streams() async throws {
        let outcome = try await call()
        let answer = try outcome.result.get()
        #expect(outcome.pieces == [Data("abc".utf8), Data("de".utf8)])
        #expect(answer.content.type == .audio && answer.content.format == "mp3" && answer.isStreamed)
        #expect(answer.usage == Usage(characters: 9, bytes: 5))
        #expect(answer.metadata == ["voice": "alloy", "model": "tts-1", "request_id": "req_1"])
        let body = try #require(outcome.calls.first?.json)
        let expected = try ParameterValue.literal(
            #"{"model":"tts-1","input":"Grüß dich","voice":"alloy","response_format":"mp3"}"#)
        #expect(body == expected)
        #expect(outcome.calls.first?.url.absoluteString == "https://api.openai.com/v1/audio/speech")
    }

    @Test("All parameters are sent, and those without an equivalent in the API are accepted and omitted")
    func parameters() async throws {
        let outcome = try await call(
            [
                "voice": "voice_12", "format": "pcm", "speed": 1.5, "instructions": "Whisper.", "previous_text": "a",
                "next_text": "b", "language": "de", "extra": ["lang_code": "d"],
            ], model: "gpt-4o-mini-tts")
        let expected = try ParameterValue.literal(
            #"{"model":"gpt-4o-mini-tts","input":"Grüß dich","voice":{"id":"voice_12"},"response_format":"pcm","speed":1.5,"instructions":"Whisper.","lang_code":"d"}"#
        )
        #expect(outcome.calls.first?.json == expected)
        let answer = try outcome.result.get()
        #expect(answer.content.format == "pcm" && answer.metadata["sample_rate"] == "24000")
        #expect(answer.metadata["voice"] == "voice_12")
    }

    @Test("Each format is requested and reported", arguments: OpenAISpeechProvider.formats)
    func formats(format: String) async throws {
        let answer = try await call(["format": .string(format)]).result.get()
        #expect(answer.content.format == format && (answer.metadata["sample_rate"] != nil) == (format == "pcm"))
    }

    @Test(
        "An ElevenLabs format selects the same kind of file",
        arguments: [
            ("mp3_44100_128", "mp3"), ("opus_48000_64", "opus"), ("pcm_16000", "wav"), ("ulaw_8000", "wav"),
            ("wav_44100", "wav"), ("pcm", "pcm"),
        ])
    func foreignFormat(asked: String, made: String) async throws {
        let outcome = try await call(["format": .string(asked)])
        #expect(outcome.calls.first?.json?[member: "response_format"] == ParameterValue.string(made))
        #expect(try outcome.result.get().content.format == made)
    }

    @Test func `A request that falls back from ElevenLabs is spoken here in the format that it asks for`() async throws
    {
        let empty = try ElevenLabsBench { _ in .json(#"{"detail":{"status":"quota_exceeded"}}"#, status: 401) }
        let openAI = Self.provider(try OpenAIBench().service(ScriptedTransport { _ in Self.sound(["ID3"]) }))
        let manager = AIRequestManager(
            store: InMemoryStore(), providers: try ProviderRegistry([empty.speech, openAI]))
        try await EngineService.run(manager) {
            let request = AIRequest(
                prompt: "Hello.", parameters: ["format": "mp3_44100_128"], fallback: [FallbackTarget("openai.speech")])
            let response = try await manager.execute(request, with: "elevenlabs.speech")
            let content = try response.content
            #expect(content == .audio(Body(Data("ID3".utf8)), .mp3))
        }
    }

    @Test(
        "Sound in another format than requested is reported as what it is, however it is cut",
        arguments: [
            ("mp3", "RIFF\u{1}\u{2}\u{3}\u{4}WAVEfmt ", "wav"), ("wav", "ID3 and more", "mp3"),
            ("flac", "fLaC", "flac"), ("pcm", "fLaC", "flac"), ("mp3", "RIFF    AVI ", "mp3"), ("aac", "x", "aac"),
        ])
    func anotherFormat(asked: String, sound: String, made: String) async throws {
        for pieces in [[sound], sound.map { String($0) }] {
            let outcome = try await call(["format": .string(asked)], Self.sound(pieces))
            let answer = try outcome.result.get()
            #expect(answer.content.format == made && answer.metadata["sample_rate"] == nil)
            #expect(outcome.text == sound)
        }
    }

    @Test(
        "Invalid parameters are refused before any call",
        arguments: [
            (["speed": 5], "x"), (["speed": 0.1], "x"), (["format": "mp4"], "x"), (["timestamps": true], "x"),
            ([:], " \n"),
            (["extra": ["input": "y"]], "x"), (["extra": ["stream_format": "sse"]], "x"),
            ([:], .messages([.init(role: .user, parts: [.text("x"), .image("y", .png)])])),
        ] as [([String: ParameterValue], Prompt)])
    func refused(parameters: [String: ParameterValue], prompt: Prompt) async throws {
        let outcome = try await call(parameters, prompt: prompt)
        #expect(outcome.error?.code == .invalidRequest && outcome.calls.isEmpty)
    }

    @Test("The engine refuses a text longer than the API's limit")
    func limit() throws {
        let provider = Self.provider(try OpenAIBench().service(ScriptedTransport { _ in Self.sound([]) }))
        #expect(provider.limits.maximumCharacters == 4096)
        #expect(provider.maximumUsage(of: AIRequest(prompt: "Grüß")) == Usage(characters: 4))
    }

    @Test(
        "The maximum usage is unknown if extra may raise the price",
        arguments: [
            (["extra": ["speed": 2, "instructions": "Whisper."]], Usage(characters: 4)),
            (["extra": ["service_tier": "priority"]], nil), (["extra": ["speed": 2, "lang_code": "d"]], nil),
            // Never sent.
            (["extra": ["input": "y"]], Usage(costMicroDollars: 0)), (["speed": 9], Usage(costMicroDollars: 0)),
        ] as [([String: ParameterValue], Usage?)])
    func bound(parameters: [String: ParameterValue], expected: Usage?) throws {
        let provider = Self.provider(try OpenAIBench().service(ScriptedTransport { _ in Self.sound([]) }))
        #expect(provider.maximumUsage(of: AIRequest(prompt: "Grüß", parameters: parameters)) == expected)
    }

    @Test("Truncated sound, empty sound, and another media type are refused")
    func broken() async throws {
        for count in 0..<5 {
            let cut = try await call([:], Self.sound([String("abcde".prefix(count))], length: 5))
            #expect(cut.error?.code == .connectionLost && cut.error?.disposition == .outcomeUnknown)
        }
        #expect(try await call([:], Self.sound([])).error?.code == .invalidResponse)
        #expect(try await call([:], Self.sound(["<html>"], type: "text/html")).error?.code == .invalidResponse)
        #expect(try await call([:], Self.sound(["abc"], type: "application/octet-stream")).error == nil)
    }
}
