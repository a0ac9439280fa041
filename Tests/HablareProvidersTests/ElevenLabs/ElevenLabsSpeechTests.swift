import Foundation
import HTTPTypes
import Hablare
import HablareStores
import Testing

@testable import HablareProviders

@Suite struct ElevenLabsSpeechTests {
    private typealias Bench = ElevenLabsBench
    private let sound = Data((0..<2000).map { UInt8($0 % 251) })

    private func response(_ answer: ProviderAnswer) -> AIResponseData {
        AIResponseData(
            requestID: UUID(), providerID: "elevenlabs.speech", result: .success(answer.content),
            metadata: answer.metadata, receivedAt: Date())
    }

    // MARK: Requests

    @Test func `A text is spoken by the provider's voice and model`() async throws {
        let bench = try Bench(sound: sound)
        _ = try await bench.speech.answering(AIRequest(prompt: "Hello.")).result.get()
        let call = try #require(bench.transport.calls.first)
        #expect(
            call.url.absoluteString
                == "https://api.elevenlabs.io/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb?output_format=mp3_44100_128")
        #expect(call.text == #"{"model_id":"eleven_multilingual_v2","text":"Hello."}"#)
        #expect(call.secrets[named: "xi-api-key"] == "sk_0123456789abcdef")
    }

    @Test func `Parameters become what the API calls them`() async throws {
        let bench = try Bench(sound: sound, type: "application/octet-stream")
        let request = AIRequest(
            prompt: "Hello.", model: "eleven_flash_v2_5",
            parameters: [
                "voice": "21m00Tcm4TlvDq8ikWAM", "format": "opus_48000_96", "stability": 0.5, "similarity_boost": 0.75,
                "style": 0, "speed": 1.1, "use_speaker_boost": true, "seed": 4_294_967_295, "language": "es",
                "previous_text": "Before.", "next_text": "After.", "extra": ["apply_text_normalization": "off"],
            ])
        _ = try await bench.speech.answering(request).result.get()
        let call = try #require(bench.transport.calls.first)
        #expect(
            call.url.absoluteString
                == "https://api.elevenlabs.io/v1/text-to-speech/21m00Tcm4TlvDq8ikWAM?output_format=opus_48000_96")
        #expect(
            call.json == [
                "text": "Hello.", "model_id": "eleven_flash_v2_5", "seed": 4_294_967_295, "language_code": "es",
                "previous_text": "Before.", "next_text": "After.", "apply_text_normalization": "off",
                "voice_settings": [
                    "stability": 0.5, "similarity_boost": 0.75, "style": 0, "speed": 1.1, "use_speaker_boost": true,
                ],
            ])
    }

    @Test(
        "Each way to ask has its path",
        arguments: [
            (false, false, ""), (true, false, "/stream"), (false, true, "/stream/with-timestamps"),
            (true, true, "/stream/with-timestamps"),
        ])
    func paths(isStreamed: Bool, wantsTimes: Bool, path: String) async throws {
        let line = Bench.timed(sound, "Hi", from: 0)
        let bench = try Bench { _ in wantsTimes ? .json(line) : .of("audio/mpeg", Data([1])) }
        let request = AIRequest(
            prompt: "Hi", parameters: ["timestamps": .bool(wantsTimes)],
            streaming: isStreamed ? StreamingPolicy() : nil)
        _ = try await bench.speech.answering(request).result.get()
        #expect(bench.transport.calls.first?.url.path == "/v1/text-to-speech/\(Bench.voice)\(path)")
    }

    @Test(
        "An invalid parameter is refused by its name before any call",
        arguments: [
            ("stability", 1.5 as ParameterValue), ("style", -0.1), ("speed", 2), ("seed", -1), ("seed", 4_294_967_296),
            ("format", "flac"), ("format", "mp3_44100"), ("voice", ""), ("timestamps", "perhaps"), ("stabilty", 1),
            ("temperature", 1), ("extra", 1), ("extra", ["text": "other"]), ("extra", ["model_id": "dearer"]),
        ] as [(String, ParameterValue)])
    func refusals(name: String, value: ParameterValue) async throws {
        let bench = try Bench(sound: sound)
        let error = await bench.speech.answering(AIRequest(prompt: "x", parameters: [name: value])).failure
        #expect(error?.code == .invalidRequest && error?.message.contains(name) == true)
        #expect(bench.transport.calls.isEmpty)
    }

    @Test(
        "Prompts without text, or with pictures, are refused",
        arguments: [
            Prompt.text(" \n"), .messages([.init(role: .user, parts: [.text("x"), .image(Body(Data([1])), .png)])]),
        ])
    func texts(prompt: Prompt) async throws {
        let bench = try Bench(sound: sound)
        let failure = await bench.speech.answering(AIRequest(prompt: prompt)).failure
        #expect(failure?.code == .invalidRequest)
        #expect(bench.transport.calls.isEmpty)
    }

    @Test(
        "A text over the model's limit is refused with the numbers",
        arguments: [
            ("eleven_multilingual_v2", 10_000), ("eleven_flash_v2", 30_000), ("eleven_turbo_v2_5", 40_000),
        ])
    func limit(model: String, most: Int) async throws {
        let bench = try Bench(sound: sound)
        let fits = AIRequest(prompt: .text(String(repeating: "é", count: most)), model: model)
        #expect(await bench.speech.answering(fits).failure == nil)
        let over = AIRequest(prompt: .text(String(repeating: "é", count: most + 1)), model: model)
        let error = await bench.speech.answering(over).failure
        #expect(error?.message.contains("\(most + 1)") == true && error?.message.contains("\(most) at once") == true)
        #expect(ElevenLabsSpeechProvider(service: bench.service, model: model).limits.maximumCharacters == most)
    }

    @Test func `A retired model is refused before anything is sent, but not at another address`() async throws {
        let bench = try Bench(sound: sound)
        let request = AIRequest(prompt: "x", model: "eleven_monolingual_v1")
        let error = await bench.speech.answering(request).failure
        #expect(error?.code == .modelRetired && bench.transport.calls.isEmpty)
        #expect(error?.message.contains("Use eleven_multilingual_v2. Nothing was sent.") == true)
        #expect(throws: AIServiceError.self) { try bench.speech.check(request) }
        let other = ElevenLabsService(
            address: try ServiceAddress("http://localhost:1"), transport: bench.transport,
            key: { () throws(AIServiceError) in nil })
        #expect(throws: Never.self) { try ElevenLabsSpeechProvider(service: other).check(request) }
    }

    @Test func `What a parameter says extra must not say`() async throws {
        let bench = try Bench(sound: sound)
        let request = AIRequest(prompt: "x", parameters: ["seed": 1, "extra": ["seed": 2]])
        let error = await bench.speech.answering(request).failure
        #expect(error?.code == .invalidRequest && error?.message.contains("seed") == true)
        #expect(bench.transport.calls.isEmpty)
    }

    @Test(
        "The maximum usage is unknown if extra may raise the price",
        arguments: [
            ([:], Usage(characters: 4)), (["extra": ["apply_text_normalization": "off"]], Usage(characters: 4)),
            (["extra": ["pronunciation_dictionary_locators": []]], nil),
            (["extra": ["seed": 1, "service_tier": "priority"]], nil),
            // Never sent.
            (["extra": ["text": "other"]], Usage(costMicroDollars: 0)), (["speed": 9], Usage(costMicroDollars: 0)),
        ] as [([String: ParameterValue], Usage?)])
    func bound(parameters: [String: ParameterValue], expected: Usage?) throws {
        let provider = try Bench(sound: sound).speech
        #expect(provider.maximumUsage(of: AIRequest(prompt: "Grüß", parameters: parameters)) == expected)
    }

    // MARK: Answers

    @Test("A long sound with times is passed on in pieces that the engine accepts", arguments: [false, true])
    func long(isStreamed: Bool) async throws {
        // 18 MiB, a little more than 17.5 minutes at 128 kbit/s.
        let long = Data(repeating: 7, count: 18 << 20)
        let lines = [long.prefix(9 << 20), long.dropFirst(9 << 20)].map { Bench.timed($0, "Hi", from: 0) }
        let bench = try Bench { _ in .json(lines.joined(separator: "\n")) }
        let manager = AIRequestManager(store: InMemoryStore(), providers: try ProviderRegistry([bench.speech]))
        try await EngineService.run(manager) {
            let request = AIRequest(
                prompt: "Hi", parameters: ["timestamps": true], streaming: isStreamed ? StreamingPolicy() : nil)
            let response = try await manager.execute(request, with: "elevenlabs.speech")
            let content = try response.content
            #expect(content == .audio(Body(long), .mp3))
        }
    }

    @Test func `An object of sound that is longer than any should be is not taken, whether it ends or not`()
        async throws
    {
        let longest = ElevenLabsSpeechProvider.longestLine
        func object(_ count: Int) -> Data {
            Data(#"{"a":""#.utf8) + Data(repeating: UInt8(ascii: "x"), count: count - 8) + Data(#""}"#.utf8)
        }
        let room = Data("\(Bench.timed(sound, "Hi", from: 0))\n".utf8)
        let bodies = [
            (room + object(longest + 2).dropLast(), false), (room + object(longest + 1), false),
            (room + object(longest), true),
        ]
        for (body, isTaken) in bodies {
            let bench = try bench([body], type: "application/json")
            let answer = await bench.speech.answering(AIRequest(prompt: "Hi", parameters: ["timestamps": true]))
            #expect(answer.yielded == sound)
            #expect(answer.failure?.code == (isTaken ? nil : .responseTooLarge))
            #expect(answer.failure?.billing == (isTaken ? nil : .maybeBilled))
        }
    }

    @Test func `Sound is handed over as it comes, with what it cost`() async throws {
        let bench = try Bench(
            sound: sound,
            fields: ["character-cost": "3", "request-id": "r1", "maximum-concurrent-requests": "5"])
        let answer = await bench.speech.answering(AIRequest(prompt: "Hello."))
        let whole = try answer.result.get()
        #expect(answer.yielded == sound)
        #expect(whole.content == ProviderAnswer(streamed: .audio(.mp3)).content)
        #expect(whole.usage == Usage(characters: 3, bytes: 2000, audioMilliseconds: 125))
        #expect(
            whole.metadata == [
                "voice": Bench.voice, "model": "eleven_multilingual_v2", "output_format": "mp3_44100_128",
                "sample_rate": "44100", "request_id": "r1", "credits": "3",
            ])
        #expect(answer.limits?.concurrency == 5)
    }

    @Test func `Without a word of credits the characters count`() async throws {
        let answer = await (try Bench(sound: sound)).speech.answering(AIRequest(prompt: "Grüße 👋"))
        #expect(try answer.result.get().usage.characters == 7)
    }

    @Test func `Bare samples become a file with its exact size`() async throws {
        let bench = try Bench(sound: sound + [7], type: "audio/pcm")
        let answer = await bench.speech.answering(AIRequest(prompt: "x", parameters: ["format": "pcm_16000"]))
        #expect(answer.yielded.isEmpty)
        let content = try answer.result.get().content
        // Half a sample is omitted.
        #expect(content == .audio(Body(WaveHeader(.pcm, sampleRate: 16_000).bytes(before: 2000) + sound), .wav))
    }

    /// Creates a service that answers with some sound, piece by piece.
    private func bench(_ pieces: [Data], type: String = "audio/pcm") throws -> Bench {
        try Bench { _ in HTTPAnswer(status: 200, fields: [.contentType: type], body: HTTPPieces(pieces)) }
    }

    @Test func `Streamed samples have a header at once, that knows no size`() async throws {
        let bench = try bench([Data(1...20), Data(), Data(21...40), Data([41, 42])])
        let answer = await bench.speech.answering(
            AIRequest(prompt: "x", parameters: ["format": "pcm_24000"], streaming: StreamingPolicy()))
        #expect(answer.yielded == WaveHeader(.pcm, sampleRate: 24_000).bytes(before: nil) + Data(1...42))
        #expect(try answer.result.get().content == ProviderAnswer(streamed: .audio(.wav)).content)
    }

    @Test func `Fewer samples than say what they are are a file, also where somebody reads along`() async throws {
        let bench = try bench([Data([1, 2]), Data([3, 4])])
        let answer = await bench.speech.answering(
            AIRequest(prompt: "x", parameters: ["format": "pcm_24000"], streaming: StreamingPolicy()))
        let file = WaveHeader(.pcm, sampleRate: 24_000).bytes(before: 4) + [1, 2, 3, 4]
        #expect(answer.yielded.isEmpty)
        #expect(try answer.result.get().content == .audio(Body(file), .wav))
    }

    @Test(
        "Sound in another format than requested is reported as what it is and passed on unchanged, however it is cut",
        arguments: [
            ("mp3_44100_128", "RIFF    WAVEfmt ", "wav"), ("opus_48000_64", "ID3 and more", "mp3"),
            ("wav_44100", "fLaC", "flac"), ("pcm_16000", "RIFF    WAVEfmt ", "wav"), ("ulaw_8000", "ID3", "mp3"),
        ], [false, true])
    func anotherFormat(sound: (asked: String, beginning: String, made: String), isStreamed: Bool) async throws {
        let whole = Data(sound.beginning.utf8) + Data(1...40)
        for pieces in [[whole], whole.map { Data([$0]) }] {
            let answer = await (try bench(pieces, type: "application/octet-stream")).speech.answering(
                AIRequest(
                    prompt: "x", parameters: ["format": .string(sound.asked)],
                    streaming: isStreamed ? StreamingPolicy() : nil))
            let made = try answer.result.get()
            #expect(made.content.format == sound.made && made.usage.audioMilliseconds == 0)
            #expect(made.metadata[AnswerMetadata.sampleRate] == nil && made.metadata["output_format"] == nil)
            if answer.yielded.isEmpty {
                #expect(made.content == .audio(Body(whole), AudioFormat(rawValue: sound.made)))
            } else {
                #expect(answer.yielded == whole)
            }
        }
    }

    @Test func `Samples that begin as a frame of mp3 does are samples`() async throws {
        let samples = Data([0xFF, 0xFB, 0x90, 0x64]) + Data(1...40)
        let answer = await (try bench([samples])).speech.answering(
            AIRequest(prompt: "x", parameters: ["format": "pcm_16000"]))
        let file = WaveHeader(.pcm, sampleRate: 16_000).bytes(before: 44) + samples
        #expect(try answer.result.get().content == .audio(Body(file), .wav))
    }

    @Test func `Times of characters become those of words and sentences`() async throws {
        let bench = try Bench { [sound] _ in .json(Bench.timed(sound, "Hi you. Yes!", from: 0)) }
        let answer = await bench.speech.answering(AIRequest(prompt: "Hi you. Yes!", parameters: ["timestamps": true]))
        #expect(answer.yielded == sound)
        let response = response(try answer.result.get())
        #expect(
            try response.wordTimes == [
                SpokenTime(text: "Hi", start: 0, end: 0.2), SpokenTime(text: "you", start: 0.3, end: 0.6),
                SpokenTime(text: "Yes", start: 0.8, end: 1.1),
            ])
        #expect(
            try response.sentenceTimes == [
                SpokenTime(text: "Hi you.", start: 0, end: 0.6), SpokenTime(text: "Yes!", start: 0.8, end: 1.1),
            ])
    }

    @Test func `A stream with times gives the same, cut at any byte`() async throws {
        let first = sound.prefix(1600)
        let second = sound.dropFirst(1600)
        // 1,600 bytes of mp3 at 128 kbit/s are 0.1 s. The second piece's times are relative to its own beginning.
        let lines =
            Bench.timed(first, "Hi ", from: 0, each: 0.03) + "\n\n" + Bench.timed(second, "you.", from: 0, each: 0.05)
            + "\r\n"
            + Bench.timed(nil, "", from: 0)
        let bytes = Data(lines.utf8)
        for cut in 0...bytes.count {
            let bench = try Bench { _ in
                HTTPAnswer(
                    status: 200, fields: [.contentType: "application/json"],
                    body: HTTPPieces([bytes.prefix(cut), bytes.dropFirst(cut)]))
            }
            let answer = await bench.speech.answering(
                AIRequest(prompt: "Hi you.", parameters: ["timestamps": true], streaming: StreamingPolicy()))
            #expect(answer.yielded == sound, "cut at \(cut)")
            #expect(
                try response(answer.result.get()).wordTimes == [
                    SpokenTime(text: "Hi", start: 0, end: 0.06), SpokenTime(text: "you", start: 0.1, end: 0.25),
                ], "cut at \(cut)")
        }
    }

    @Test func `A name that comes twice in a piece of sound is no reason to lose it`() async throws {
        let line = Bench.timed(sound, "Hi", from: 0)
        let twice = line.replacing(#"{"audio_base64":"#, with: #"{"audio_base64":null,"x":1,"x":2,"audio_base64":"#)
        let bench = try Bench { _ in .json(twice) }
        let answer = await bench.speech.answering(AIRequest(prompt: "Hi", parameters: ["timestamps": true]))
        #expect(answer.yielded == sound)
        #expect(try response(answer.result.get()).wordTimes == [SpokenTime(text: "Hi", start: 0, end: 0.2)])
    }

    @Test("Endless times are omitted, and the sound is kept", arguments: [false, true])
    func endlessTimes(isStreamed: Bool) async throws {
        // The text has two characters, so up to 1,032 times are kept.
        for (lines, isKept) in [(10, true), (11, false), (40, false)] {
            let line = Bench.timed(sound, String(repeating: "Hi ", count: 33) + "x", from: 0) + "\n"
            let bench = try Bench { _ in .json(String(repeating: line, count: lines)) }
            let answer = await bench.speech.answering(
                AIRequest(
                    prompt: "Hi", parameters: ["timestamps": true], streaming: isStreamed ? StreamingPolicy() : nil))
            #expect(answer.yielded == Data(Array(repeating: sound, count: lines).joined()))
            let response = response(try answer.result.get())
            #expect(try response.wordTimes.count == (isKept ? lines * 33 + 1 : 0))
            #expect(try response.sentenceTimes.isEmpty != isKept)
        }
    }

    @Test(
        "A malformed piece of sound is a failure that reveals nothing of it",
        arguments: [
            "{", "[]", #"{"audio_base64":"secret*"}"#, #"{"audio_base64":5}"#, "{}", #"{"audio_base64":null}"#,
        ], [false, true])
    func brokenPieces(json: String, isStreamed: Bool) async throws {
        let bench = try Bench { _ in .json(json) }
        let request = AIRequest(
            prompt: "x", parameters: ["timestamps": true], streaming: isStreamed ? StreamingPolicy() : nil)
        let failure = try #require(await bench.speech.answering(request).failure)
        #expect(failure.code == .invalidResponse)
        #expect(!"\(failure) \(failure.cause ?? "")".contains("secret"))
    }

    @Test(
        "A stream that reports a failure is not whole sound, and the error reveals nothing of the text",
        arguments: [
            (#"{"status":"system_busy","message":"secret"}"#, .overloaded, .retry(after: nil)),
            (#""secret""#, .overloaded, .retry(after: nil)),
            (#"{"status":"quota_exceeded","message":"secret"}"#, .quotaExceeded, .needsUser),
            (#"[{"type":"missing","loc":["body"],"msg":"secret"}]"#, .invalidRequest, .fail),
        ] as [(String, AIServiceError.Code, FailureDisposition)])
    func failsInStream(detail: String, code: AIServiceError.Code, disposition: FailureDisposition) async throws {
        let piece = Bench.timed(sound, "Hi", from: 0)
        for (before, isBegun) in [("", false), ("\(piece)\n", true)] {
            let bench = try Bench { _ in .json("\(before){\"detail\":\(detail)}\n") }
            let answer = await bench.speech.answering(AIRequest(prompt: "secret", parameters: ["timestamps": true]))
            let failure = try #require(answer.failure)
            let isAgain = disposition == .retry(after: nil)
            #expect(failure.code == code)
            #expect(failure.disposition == (isBegun && isAgain ? .outcomeUnknown : disposition))
            #expect(failure.billing == (isBegun ? .maybeBilled : nil))
            #expect(!"\(failure) \(failure.cause ?? "")".contains("secret"))
            #expect(failure.cause?.contains("[prompt]") == true)
        }
    }

    @Test func `No sound, another kind of answer and a broken connection are failures`() async throws {
        #expect(
            await (try Bench(sound: Data())).speech.answering(AIRequest(prompt: "x")).failure?.code == .invalidResponse)
        let page = try Bench(sound: Data("<h1>".utf8), type: "text/html")
        #expect(await page.speech.answering(AIRequest(prompt: "x")).failure?.code == .invalidResponse)
        let broken = try Bench { _ in
            let pieces = AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data([1, 2, 3]))
                continuation.finish(throwing: HTTPFailure(.connectionLost, mayHaveArrived: true, cause: "reset"))
            }
            return HTTPAnswer(status: 200, fields: [.contentType: "audio/mpeg"], body: HTTPPieces(pieces))
        }
        let failure = await broken.speech.answering(AIRequest(prompt: "x")).failure
        #expect(failure?.code == .connectionLost && failure?.disposition == .outcomeUnknown)
    }

    @Test func `In an engine the sound is the answer, and its credits are what it costs`() async throws {
        let bench = try Bench(sound: sound, fields: ["character-cost": "6", "maximum-concurrent-requests": "1"])
        let manager = AIRequestManager(store: InMemoryStore(), providers: try ProviderRegistry([bench.speech]))
        try await EngineService.run(manager) {
            let response = try await manager.execute(AIRequest(prompt: "Hello."), with: "elevenlabs.speech")
            let content = try response.content
            #expect(content == .audio(Body(sound), .mp3))
            #expect(response.usage.costMicroDollars == 480)
        }
    }
}
