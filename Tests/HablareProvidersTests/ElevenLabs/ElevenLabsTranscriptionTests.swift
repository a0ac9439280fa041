import Foundation
import HTTPTypes
import Hablare
import Testing

@testable import HablareProviders

@Suite struct ElevenLabsTranscriptionTests {
    private static let prompt = Prompt.messages([
        .init(role: .user, parts: [.audio("ID3 sound", .mp3)])
    ])

    private func call(
        _ parameters: [String: ParameterValue] = [:], prompt: Prompt = prompt, model: String? = nil,
        _ body: String = #"{"text":"Hi.","language_code":"eng","words":[]}"#
    ) async throws -> (CallResult, HTTPCall?) {
        let bench = try ElevenLabsBench { _ in .json(body, fields: ["request-id": "r1"]) }
        let provider = ElevenLabsTranscriptionProvider(service: bench.service)
        let result = await provider.answering(AIRequest(prompt: prompt, model: model, parameters: parameters))
        return (result, bench.transport.calls.first)
    }

    @Test func `A recording is sent as a form`() async throws {
        let (result, call) = try await call([
            "language": "en", "diarize": true, "num_speakers": 2, "keyterms": ["Moby", "Ahab"],
            "tag_audio_events": false,
        ])
        #expect(result.failure == nil)
        #expect(call?.url.absoluteString == "https://api.elevenlabs.io/v1/speech-to-text")
        #expect(call?.secrets[named: "xi-api-key"] != nil)
        guard case .pieces(let pieces)? = call?.body else { throw AIServiceError(.invalidState, "no form") }
        let form = String(decoding: try Data(pieces.map { try $0.read() }.joined()), as: UTF8.self)
        for part in [
            "name=\"model_id\"\r\n\r\nscribe_v3\r\n", "name=\"language_code\"\r\n\r\nen\r\n",
            "name=\"timestamps_granularity\"\r\n\r\nword\r\n", "name=\"diarize\"\r\n\r\ntrue\r\n",
            "name=\"num_speakers\"\r\n\r\n2\r\n", "name=\"keyterms\"\r\n\r\nMoby\r\n",
            "name=\"keyterms\"\r\n\r\nAhab\r\n",
            "name=\"tag_audio_events\"\r\n\r\nfalse\r\n",
            "name=\"file\"; filename=\"recording.mp3\"\r\nContent-Type: audio/mpeg\r\n\r\nID3 sound",
        ] { #expect(form.contains(part), "\(part) in \(form)") }
    }

    @Test func `A retired model is refused before anything is sent`() async throws {
        let (result, call) = try await call(model: "scribe_v1")
        #expect(result.failure?.code == .modelRetired && call == nil)
        #expect(
            result.failure?.message
                == "The model scribe_v1 was retired on 2026-07-09. Use scribe_v2. Nothing was sent.")
    }

    @Test func `Words become segments, and spaces and sounds none`() async throws {
        let (result, _) = try await call(
            [:],
            #"""
            {"language_code":"eng","language_probability":0.98,"text":"Hi you. (laughter) Yes!","audio_duration_secs":3.25,
            "words":[{"text":"Hi","start":0.1,"end":0.4,"type":"word","speaker_id":"speaker_0","logprob":0},
            {"text":" ","start":0.4,"end":0.5,"type":"spacing","logprob":0},
            {"text":"you.","start":0.5,"end":0.9,"type":"word","speaker_id":"speaker_0","logprob":0},
            {"text":"(laughter)","start":1,"end":1.5,"type":"audio_event","logprob":0},
            {"text":"Yes!","start":1.6,"end":2,"type":"word","speaker_id":"speaker_1","logprob":0}]}
            """#)
        let answer = try result.result.get()
        let response = AIResponseData(
            requestID: UUID(), providerID: "elevenlabs.transcription", result: .success(answer.content),
            metadata: answer.metadata, receivedAt: Date())
        #expect(answer.content == .text("Hi you. (laughter) Yes!"))
        #expect(
            try response.segmentTimes == [
                SpokenTime(text: "Hi you.", start: 0.1, end: 0.9, speaker: "speaker_0"),
                SpokenTime(text: "Yes!", start: 1.6, end: 2, speaker: "speaker_1"),
            ])
        #expect(try response.wordTimes.count == 3)
        #expect(answer.usage == Usage(bytes: 23, audioMilliseconds: 3250))
        #expect(answer.metadata["language"] == "eng" && answer.metadata["request_id"] == "r1")
    }

    @Test func `Silence is an empty transcript and no error`() async throws {
        let (result, _) = try await call([:], #"{"language_code":"eng","text":"","words":[],"audio_duration_secs":2}"#)
        #expect(try result.result.get().content == .text(""))
    }

    @Test func `An answer without a text is kept`() async throws {
        let body = #"{"message":"Request accepted","request_id":"x"}"#
        let (result, _) = try await call([:], body)
        #expect(result.failure?.code == .invalidResponse)
        #expect(result.failure?.keptAnswer?.content == .data(Body(body)))
    }

    @Test(
        "Invalid requests are refused before any call",
        arguments: [
            (["num_speakers": 33], prompt), (["timestamps": "perhaps"], prompt), (["extra": ["webhook": true]], prompt),
            (["extra": ["source_url": "https://x"]], prompt), (["voice": "x"], prompt), ([:], "text"),
            ([:], .messages([.init(role: .user, parts: [.audio("a", .wav), .text("a hint")])])),
        ] as [([String: ParameterValue], Prompt)])
    func refused(parameters: [String: ParameterValue], prompt: Prompt) async throws {
        let (result, call) = try await call(parameters, prompt: prompt)
        #expect(result.failure?.code == .invalidRequest && call == nil)
    }
}
