import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

@Suite struct OpenAITranscriptionTests {
    private static let wave = Data("RIFF\u{1}\u{2}\u{3}\u{4}WAVEfmt and sound".utf8)

    private static func recording(
        _ data: Data = wave, _ format: AudioFormat = .wav, hint: String? = nil
    ) -> Prompt {
        let hints: [Prompt.Part] = hint.map { [.text($0)] } ?? []
        return .messages([Prompt.Message(role: .user, parts: [.audio(Body(data), format)] + hints)])
    }

    private func call(
        _ parameters: [String: ParameterValue] = [:], prompt: Prompt = recording(), model: String? = nil,
        baseURL: String = OpenAIService.baseURL,
        _ answer: HTTPAnswer = OpenAIBench.json(#"{"text":"Hello."}"#)
    ) async throws -> OpenAIBench.Outcome {
        try await OpenAIBench(baseURL: baseURL).call(
            AIRequest(prompt: prompt, model: model, parameters: parameters)
        ) { _ in
            answer
        } _: {
            OpenAITranscriptionProvider("openai.transcription", service: $0)
        }
    }

    private func response(_ answer: ProviderAnswer) -> AIResponseData {
        AIResponseData(
            requestID: UUID(), providerID: "openai.transcription", result: .success(answer.content),
            metadata: answer.metadata, receivedAt: Date())
    }

    /// The bytes of a form that was sent.
    private func form(_ outcome: OpenAIBench.Outcome) throws -> String {
        guard case .pieces(let pieces)? = outcome.calls.first?.body else { return "" }
        return String(decoding: try Data(pieces.map { try $0.read() }.joined()), as: UTF8.self)
    }

    @Test func `The tokens of a recording are counted apart`() async throws {
        let outcome = try await call(
            model: "gpt-4o-transcribe",
            OpenAIBench.json(
                #"{"text":"Hi","usage":{"type":"tokens","input_tokens":14,"output_tokens":4,"input_token_details":{"audio_tokens":12,"text_tokens":2}}}"#
            ))
        let usage = try outcome.result.get().usage
        #expect(usage.inputTokens == 14 && usage.audioInputTokens == 12 && usage.outputTokens == 4)
    }

    @Test func `A recording is sent as a file of a form, and its text is the answer`() async throws {
        let outcome = try await call(
            ["language": "en", "temperature": 0.5, "keywords": ["Moby", "Ahab"], "extra": ["include[]": "logprobs"]],
            prompt: Self.recording(hint: "Call me Ishmael."),
            OpenAIBench.json(
                #"{"text":" Hello there. ","languages":[{"code":"en"}],"usage":{"type":"tokens","input_tokens":14,"output_tokens":4,"total_tokens":18}}"#
            ))
        #expect(outcome.calls.first?.url.absoluteString == "https://api.openai.com/v1/audio/transcriptions")
        let form = try form(outcome)
        for part in [
            "name=\"model\"\r\n\r\ngpt-transcribe\r\n", "name=\"response_format\"\r\n\r\njson\r\n",
            "name=\"language\"\r\n\r\nen\r\n", "name=\"temperature\"\r\n\r\n0.5\r\n",
            "name=\"keywords[]\"\r\n\r\nMoby\r\n", "name=\"keywords[]\"\r\n\r\nAhab\r\n",
            "name=\"prompt\"\r\n\r\nCall me Ishmael.\r\n", "name=\"include[]\"\r\n\r\nlogprobs\r\n",
            "name=\"file\"; filename=\"recording.wav\"\r\nContent-Type: audio/wav\r\n\r\nRIFF",
        ] { #expect(form.contains(part), "\(part) in \(form)") }
        let answer = try outcome.result.get()
        #expect(answer.content == .text("Hello there."))
        #expect(answer.usage == Usage(inputTokens: 14, outputTokens: 4, bytes: 12))
        #expect(answer.metadata == ["model": "gpt-transcribe", "language": "en"])
    }

    @Test func `Silence is an empty transcript and no error`() async throws {
        for body in [#"{"text":""}"#, #"{"text":" \n"}"#, #"{"text":"","segments":[],"duration":3.5}"#] {
            let answer = try await call([:], OpenAIBench.json(body)).result.get()
            #expect(answer.content == .text(""))
        }
    }

    @Test(
        "Times are requested in the form that the model knows",
        arguments: [
            ("whisper-1", OpenAIService.baseURL, "true", "verbose_json"),
            ("whisper-1", OpenAIService.baseURL, "auto", "verbose_json"),
            ("whisper-1", OpenAIService.baseURL, "false", "json"),
            ("gpt-transcribe", OpenAIService.baseURL, "auto", "json"),
            ("gpt-4o-transcribe-diarize", OpenAIService.baseURL, "true", "diarized_json"),
            ("some-whisper", "http://localhost:8080/v1", "true", "verbose_json"),
        ])
    func forms(model: String, address: String, times: String, form: String) async throws {
        let outcome = try await call(["timestamps": .string(times)], model: model, baseURL: address)
        #expect(outcome.error == nil)
        let sent = try self.form(outcome)
        #expect(sent.contains("name=\"response_format\"\r\n\r\n\(form)\r\n"))
        #expect(sent.contains("timestamp_granularities[]") == (form == "verbose_json"))
        #expect(sent.contains("chunking_strategy") == (form == "diarized_json"))
    }

    @Test func `Times of segments and words come with the answer, and the audio's length is its usage`() async throws {
        let answer = try await call(
            ["timestamps": true], model: "whisper-1",
            OpenAIBench.json(
                #"{"task":"transcribe","language":"english","duration":2.5,"text":"Hi you. Yes!","segments":[{"id":0,"start":0.0,"end":1.2,"text":" Hi you."},{"id":1,"start":1.5,"end":2.1,"text":" Yes!"},{"text":"no times"}],"words":[{"word":"Hi","start":0,"end":0.5}],"usage":{"type":"duration","seconds":3}}"#
            )
        ).result.get()
        let response = response(answer)
        #expect(
            try response.segmentTimes == [
                SpokenTime(text: "Hi you.", start: 0, end: 1.2), SpokenTime(text: "Yes!", start: 1.5, end: 2.1),
            ])
        #expect(try response.wordTimes == [SpokenTime(text: "Hi", start: 0, end: 0.5)])
        #expect(answer.usage == Usage(bytes: 12, audioMilliseconds: 3000))
        #expect(answer.metadata["language"] == "english" && answer.metadata["audio_seconds"] == "3.0")
    }

    @Test func `Speakers are told apart`() async throws {
        let answer = try await call(
            ["timestamps": true], model: "gpt-4o-transcribe-diarize",
            OpenAIBench.json(
                #"{"text":"Hi. Hello.","duration":2,"segments":[{"id":"a","type":"transcript.text.segment","start":0,"end":1,"text":"Hi.","speaker":"A"},{"id":"b","start":1,"end":2,"text":"Hello.","speaker":"B"}]}"#
            )
        ).result.get()
        #expect(try response(answer).segmentTimes.map(\.speaker) == ["A", "B"])
    }

    @Test func `A recording over 25 MiB is refused before it is sent, and a server of one's own has no such limit`()
        async throws
    {
        let large = Self.recording(Data(count: 30_000_000), .mp3)
        let outcome = try await call(prompt: large)
        #expect(outcome.error?.code == .invalidRequest && outcome.calls.isEmpty)
        #expect(outcome.error?.message.contains("30000000 bytes; OpenAI accepts at most 26214400") == true)
        let fits = try await call(prompt: Self.recording(Data(count: 25 << 20), .mp3))
        #expect(fits.error == nil)
        #expect(try await call(prompt: large, baseURL: "http://localhost:8080/v1").error == nil)
    }

    @Test(
        "Invalid requests are refused by name before any call",
        arguments: [
            (["timestamps": true], recording(), "returns no times"),
            (["timestamps": "perhaps"], recording(), "timestamps"),
            (["temperature": 2], recording(), "temperature"), (["lang": "en"], recording(), "language"),
            (["extra": ["stream": true]], recording(), "stream"),
            (["extra": ["language": "en"], "language": "de"], recording(), "extra"),
            ([:], "text alone", "the prompt has 0"),
            ([:], .messages([.init(role: .user, parts: [.audio("a", .wav), .audio("b", .wav)])]), "the prompt has 2"),
            ([:], .messages([.init(role: .user, parts: [.audio("a", .wav), .image("b", .png)])]), "no pictures"),
            ([:], recording(Data()), "is empty"), ([:], recording(wave, AudioFormat(rawValue: "wma")), "format wma"),
        ] as [([String: ParameterValue], Prompt, String)])
    func refused(parameters: [String: ParameterValue], prompt: Prompt, problem: String) async throws {
        let outcome = try await call(parameters, prompt: prompt)
        #expect(outcome.error?.code == .invalidRequest && outcome.calls.isEmpty)
        #expect(outcome.error?.message.contains(problem) == true, "\(outcome.error?.message ?? "")")
    }

    @Test(
        "A transcript is read under any media type",
        arguments: [
            ("application/json", #"{"text":"Hi."}"#), ("text/plain", #"{"text":"Hi."}"#), ("text/plain", "Hi.\n"),
            ("", #"{"text":"Hi."}"#), ("application/octet-stream", #"{"text":"Hi."}"#),
            ("text/html", #"{"text":"Hi."}"#),
        ])
    func types(type: String, body: String) async throws {
        let fields: HTTPFields = type.isEmpty ? [:] : [.contentType: type]
        let outcome = try await call(
            [:], HTTPAnswer(status: 200, fields: fields, body: HTTPPieces([Data(body.utf8)])))
        #expect(try outcome.result.get().content == .text("Hi."))
    }

    @Test(
        "An answer that is no transcript is kept with the failure",
        arguments: [
            ("text/html", "<html>Log in</html>"), ("application/json", #"{"words":[]}"#), ("audio/mpeg", "ID3"),
        ])
    func kept(type: String, body: String) async throws {
        let error = try #require(
            try await call([:], OpenAIBench.answer(Data(body.utf8), type)).error)
        #expect(error.code == .invalidResponse && error.billing == .maybeBilled)
        #expect(error.keptAnswer == KeptAnswer(.data(Body(body)), mediaType: type))
        #expect(!error.message.contains(body) && error.cause?.contains(body) != true)
    }
}
