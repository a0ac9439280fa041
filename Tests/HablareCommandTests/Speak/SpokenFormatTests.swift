import Foundation
import Hablare
import HablareAudio
import HablareProviders
import HablareTestKit
import Testing

@testable import HablareCommand

/// The format in which a text is spoken, and its conversion.
@Suite struct SpokenFormatTests {
    /// Returns a service with OpenAI's formats or with those of ElevenLabs.
    private static func service(_ name: String) -> InstalledProvider {
        var voices = InstalledProvider.ServiceVoices(usual: "a") { _ in
            []
        } check: { _ in
        }
        if name == "openai" {
            voices.sound = InstalledProvider.ServiceSound(
                formats: OpenAISpeechProvider.formats, takesContext: false
            ) { OpenAISpeechProvider.formats.contains($0) ? AudioFormat(rawValue: $0) : nil }
        } else {
            voices.sound = InstalledProvider.ServiceSound(
                formats: SoundFormat.Coding.allCases.map(\.rawValue), takesContext: true
            ) { SoundFormat($0)?.audioFormat }
        }
        return InstalledProvider(serving: name, ScriptedProvider(id: "s", responseType: .audio), voices: voices)
    }

    private static func program() -> InstalledProvider {
        InstalledProvider(provider: ScriptedProvider(id: "p", responseType: .audio), content: .audio(.wav))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let provider: String
        let wanted: String?
        let file: String?
        let pieces: Int
        let parameter: String?
        let container: AudioContainer?
        var testDescription: String { "\(provider) \(wanted ?? "-") \(file ?? "-") \(pieces)" }
    }

    @Test(arguments: [
        Case(provider: "openai", wanted: nil, file: nil, pieces: 1, parameter: "wav", container: nil),
        Case(provider: "openai", wanted: nil, file: "a", pieces: 1, parameter: "wav", container: nil),
        Case(provider: "openai", wanted: nil, file: "a.mp3", pieces: 1, parameter: "mp3", container: nil),
        Case(provider: "openai", wanted: nil, file: "a.OPUS", pieces: 1, parameter: "opus", container: nil),
        Case(provider: "openai", wanted: "aac", file: nil, pieces: 1, parameter: "aac", container: nil),
        Case(provider: "openai", wanted: nil, file: "a.pcm", pieces: 1, parameter: "pcm", container: nil),
        Case(provider: "openai", wanted: nil, file: "a.mp3", pieces: 2, parameter: "wav", container: .mp3),
        Case(provider: "openai", wanted: "flac", file: nil, pieces: 2, parameter: "wav", container: .flac),
        Case(provider: "openai", wanted: nil, file: nil, pieces: 2, parameter: "wav", container: .wav),
        // ElevenLabs has no FLAC, so it is made of a lossless format.
        Case(provider: "elevenlabs", wanted: nil, file: "a.flac", pieces: 1, parameter: "wav", container: .flac),
        Case(
            provider: "elevenlabs", wanted: "mp3_44100_192", file: "a.mp3", pieces: 1, parameter: "mp3_44100_192",
            container: nil),
        Case(
            provider: "elevenlabs", wanted: "mp3_44100_192", file: nil, pieces: 2, parameter: "mp3_44100_192",
            container: .mp3),
        Case(
            provider: "elevenlabs", wanted: "pcm_16000", file: "a.wav", pieces: 1, parameter: "pcm_16000",
            container: nil),
        Case(provider: "program", wanted: nil, file: "a.wav", pieces: 1, parameter: nil, container: nil),
        Case(provider: "program", wanted: nil, file: "a.mp3", pieces: 1, parameter: nil, container: .mp3),
        Case(provider: "program", wanted: "flac", file: nil, pieces: 3, parameter: nil, container: .flac),
    ])
    func `The format follows option, file name and number of pieces`(_ test: Case) throws {
        let installed = test.provider == "program" ? Self.program() : Self.service(test.provider)
        let format = try SpokenFormat(
            test.wanted, file: test.file.map { URL(filePath: "/tmp/\($0)") }, pieces: test.pieces, of: installed)
        #expect(format.parameter == test.parameter)
        #expect(format.container == test.container)
    }

    @Test(
        arguments: [
            ("openai", "ogg", nil, 1), ("openai", nil, "a.m4a", 1), ("openai", "mp3", "a.wav", 1),
            ("openai", "aac", nil, 2),
            ("openai", "pcm", nil, 2), ("elevenlabs", nil, "a.pcm", 1), ("program", "opus", nil, 1),
            ("program", nil, "a.aac", 1),
        ] as [(String, String?, String?, Int)])
    func `An impossible format is refused`(provider: String, wanted: String?, file: String?, pieces: Int) {
        let installed = provider == "program" ? Self.program() : Self.service(provider)
        let failure = #expect(throws: CommandFailure.self) {
            try SpokenFormat(wanted, file: file.map { URL(filePath: "/tmp/\($0)") }, pieces: pieces, of: installed)
        }
        #expect(failure?.status == .usage)
    }

    @Test func `The user's format is used if it can be joined`() throws {
        let installed = Self.service("openai")
        #expect(try SpokenFormat.joinable([:], of: installed) == ["format": "wav"])
        #expect(try SpokenFormat.joinable(["format": "mp3"], of: installed) == ["format": "mp3"])
        #expect(try SpokenFormat.joinable(["voice": "x"], of: Self.program()) == ["voice": "x"])
        for format in ["pcm", "aac", "ogg"] {
            #expect(throws: CommandFailure.self) {
                try SpokenFormat.joinable(["format": .string(format)], of: installed)
            }
        }
        let given = try SpokenFormat(nil, file: URL(filePath: "/tmp/a.wav"), pieces: 1, given: "mp3", of: installed)
        #expect(
            given == (try SpokenFormat(nil, file: URL(filePath: "/tmp/b.wav"), pieces: 1, given: "mp3", of: installed)))
        #expect(given.parameter == "mp3" && given.container == .wav)
    }
}
