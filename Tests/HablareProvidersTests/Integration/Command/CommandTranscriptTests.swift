#if os(macOS) || os(Linux)
import Foundation
import Hablare
import Testing

@testable import HablareProviders

/// Programs that read a recording and write a transcript.
@Suite(.timeLimit(.minutes(5))) struct CommandTranscriptTests {
    private static let prompt = Prompt.messages([.init(role: .user, parts: [.audio("RIFF\u{1}\u{2} sound", .wav)])])

    private func call(
        _ script: String, prompt: Prompt = prompt, form: CommandTextForm = .whisperSegments
    ) async throws -> Result<ProviderAnswer, AIServiceError> {
        let program = try TestProgram(script)
        var template = program.template()
        template.input = .audio
        template.textForm = form
        let provider = try CommandProvider(template)
        return await provider.generate(ProviderCall(request: AIRequest(prompt: prompt)))
    }

    @Test func `A program reads the recording, and its lines become text and times`() async throws {
        let answer = try await call(
            #"cat >/dev/null; echo; echo "[00:00:00.000 --> 00:00:02.500]   Call me"; echo "[00:00:02.500 --> 00:01:04.000]   Ishmael.""#
        ).get()
        let response = AIResponseData(
            requestID: UUID(), providerID: "script", result: .success(answer.content), metadata: answer.metadata,
            receivedAt: Date())
        #expect(answer.content == .text("Call me Ishmael."))
        #expect(
            try response.segmentTimes == [
                SpokenTime(text: "Call me", start: 0, end: 2.5), SpokenTime(text: "Ishmael.", start: 2.5, end: 64),
            ])
        #expect(answer.usage == Usage(bytes: 16, audioMilliseconds: 64_000, costMicroDollars: 0))
    }

    @Test func `The bytes of the recording are the program's input, unchanged`() async throws {
        let answer = try await call("od -An -tx1 | tr -d ' \\n'", form: .plain).get()
        #expect(answer.content == .text("52494646010220736f756e64"))
    }

    @Test(arguments: [
        "cat >/dev/null", "cat >/dev/null; echo ' [BLANK_AUDIO]'",
        "cat >/dev/null; echo '[00:00:00.000 --> 00:00:05.000]  [BLANK_AUDIO]'",
    ])
    func `Silence is an empty transcript and no error`(script: String) async throws {
        let answer = try await call(script).get()
        #expect(answer.content == .text(""))
        #expect(answer.metadata["segment_times"] == nil)
    }

    @Test func `A prompt that is not one recording is refused, and so is a recording for a program that reads text`()
        async throws
    {
        for prompt in [
            "text" as Prompt, .messages([.init(role: .user, parts: [.audio("a", .wav), .text("and text")])]),
            .messages([.init(role: .user, parts: [.image("a", .png)])]),
        ] { #expect(try await call("cat", prompt: prompt).error?.code == .invalidRequest) }
        let program = try TestProgram("cat")
        let provider = try CommandProvider(program.template())
        let error = await provider.generate(ProviderCall(request: AIRequest(prompt: Self.prompt))).error
        #expect(error?.message.contains("accepts only text, and no audio") == true)
    }

    @Test func `The preset for whisper is a valid template that needs a model`() async throws {
        let provider = try CommandProvider(.whisperCpp)
        let error = await provider.generate(ProviderCall(request: AIRequest(prompt: Self.prompt))).error
        #expect(error?.code == .invalidRequest && error?.message.contains("model") == true)
        #expect(provider.instance.rawValue.hasSuffix("→ text audio segments"))
    }

    @Test(
        "Lines of whisper are read as they come",
        arguments: [
            ("", "", 0), ("[00:00.000 --> 00:01.000] a\nb\n", "a b", 1), ("no times", "no times", 0),
            ("[00:00:00,000 --> 00:00:01,000] a", "a", 1), ("[music] and [00:00] more", "[music] and [00:00] more", 0),
            ("[x --> y] a", "[x --> y] a", 0), ("[00:00:09.000 --> 00:00:01.000] a", "a", 1),
            ("[-1:00 --> 00:01] a", "[-1:00 --> 00:01] a", 0),
        ])
    func lines(output: String, text: String, count: Int) {
        let transcript = Transcript(whisperSegments: output)
        #expect(transcript.text == text && transcript.segments.count == count)
        #expect(transcript.segments.allSatisfy { $0.start <= $0.end })
    }

    @Test func `Words are joined to segments that fit a subtitle`() {
        func word(_ text: String, _ start: Double, _ speaker: String? = nil) -> SpokenTime {
            SpokenTime(text: text, start: start, end: start + 0.3, speaker: speaker)
        }
        let words = [word("One.", 0), word("Two", 0.4), word("three", 0.8), word("four", 5), word("five", 5.4, "B")]
        #expect(Transcript.segments(of: words).map(\.text) == ["One.", "Two three", "four", "five"])
        let many = (0..<100).map { word("word", Double($0) * 0.4) }
        let segments = Transcript.segments(of: many)
        #expect(segments.allSatisfy { $0.text.count <= 84 && $0.end - $0.start <= 7 })
        #expect(segments.flatMap { $0.text.split(separator: " ") }.count == 100)
        #expect(Transcript.segments(of: []).isEmpty)
    }
}
#endif
