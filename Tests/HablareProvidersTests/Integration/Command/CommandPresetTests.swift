#if os(macOS) || os(Linux)
import Foundation
import Hablare
import Testing

@testable import HablareProviders

/// Tests with the installed programs; missing programs are skipped.
@Suite(.timeLimit(.minutes(5))) struct CommandPresetTests {
    private static let installed = CommandTemplate.presets.filter { template in
        template.voices != .files && template.input == .text
            && ExecutableSearch(template.executable, in: path).path != nil
    }

    private static var path: String? { ProcessInfo.processInfo.environment["PATH"] }

    @Test("An installed program speaks", arguments: installed)
    func speaks(template: CommandTemplate) async throws {
        let answer = try await CommandProvider(template).call("Hello there, world.").get()
        #expect(answer.content.type == .audio)
        #expect((answer.content.body?.byteCount ?? 0) > 1000)
        #expect(answer.metadata["program"] == template.executable)
        #expect(answer.metadata["voice"] == template.placeholders.first { $0.name == "voice" }?.default)
    }

    @Test("An installed program lists its voices, including its default", arguments: installed)
    func voices(template: CommandTemplate) async throws {
        let provider = try CommandProvider(template)
        let voices = try await provider.voices()
        let usual = try #require(template.placeholders.first { $0.name == "voice" }?.default)
        #expect(voices.contains { $0.id == usual })
        #expect(Set(voices.map(\.id)).count == voices.count)
        try await provider.validate(voice: usual)
        let error = await provider.call("Hello.", ["voice": .string(usual + "x")]).error
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("Did you mean") == true)
    }

    @Test func espeakTakesVariantsRateAndPitch() async throws {
        guard Self.installed.contains(.espeakNG) else { return }
        let provider = try CommandProvider(.espeakNG)
        let slow = try await provider.call("Hello there.", ["voice": "en-us+f3", "rate": 80, "pitch": 70]).get()
        let fast = try await provider.call("Hello there.", ["voice": "en-us+f3", "rate": 300, "pitch": 70]).get()
        #expect((slow.content.body?.byteCount ?? 0) > (fast.content.body?.byteCount ?? 0))
        #expect(await provider.call("Hello.", ["voice": "en-us+nobody"]).error?.code == .invalidRequest)
        #expect(await provider.call("Hello.", ["rate": 5]).error?.code == .invalidRequest)
    }

    @Test func aVoiceThatIsAFileMustBeThere() async throws {
        let program = try TestProgram("cat")
        var template = program.template(["{voice}"], placeholders: [CommandPlaceholder("voice")])
        template.voices = .files
        let provider = try CommandProvider(template)
        #expect(await provider.call("", ["voice": "/no/such/model.onnx"]).error?.code == .invalidRequest)
        #expect(try await provider.call("x", ["voice": .string(program.directory.path)]).text == "x")
    }

    @Test func voicesThatAreFixedNeedNoProgram() async throws {
        let template = CommandTemplate(
            id: "x", executable: "no-such-program", arguments: ["{voice}"], placeholders: [CommandPlaceholder("voice")],
            content: .text, voices: .fixed([CommandVoice(id: "anna"), CommandVoice(id: "bert")]))
        let provider = try CommandProvider(template)
        try await provider.validate(voice: "Anna")
        let error = await #expect(throws: AIServiceError.self) { try await provider.validate(voice: "berta") }
        #expect(error?.message.contains("Did you mean bert?") == true)
    }
}
#endif
