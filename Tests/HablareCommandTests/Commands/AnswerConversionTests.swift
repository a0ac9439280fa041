import Foundation
import Hablare
import HablareAudio
import HablareProviders
import HablareTestFiles
import Testing

@testable import HablareCommand

@Suite struct AnswerConversionTests {
    private func conversion(_ content: CommandContent, _ name: String) throws -> AnswerConversion {
        try AnswerConversion(of: content, to: URL(filePath: "/folder/\(name)"))
    }

    @Test(
        "An answer is written as it is if the file's name fits or has no extension",
        arguments: [
            (CommandContent.text, "a.txt"), (.text, "a.md"), (.text, "a"), (.data, "a.mp3"), (.audio(.wav), "a.WAV"),
            (.audio(.wav), "a"), (.audio(.mp3), "a.mp3"), (.audio(AudioFormat(rawValue: "ogg")), "a.oga"),
            (.audio(AudioFormat(rawValue: "m4a")), "a.m4a"), (.image(.jpeg), "a.jpg"), (.image(.png), "a.png"),
        ])
    func asItIs(content: CommandContent, name: String) throws {
        #expect(try conversion(content, name) == .none)
    }

    @Test(
        "Audio is converted to the format of the file's name",
        arguments: [
            (AudioFormat.wav, "a.mp3", AudioContainer.mp3), (.wav, "a.flac", .flac), (.mp3, "a.Wav", .wav),
            (AudioFormat(rawValue: "ogg"), "a.flac", .flac),
        ])
    func converted(format: AudioFormat, name: String, container: AudioContainer) throws {
        #expect(try conversion(.audio(format), name) == .audio(container))
    }

    @Test(
        "An impossible conversion is refused with the possible extensions",
        arguments: [
            (CommandContent.audio(.wav), "a.ogg", ".wav, .wave, .flac, .mp3"),
            (.audio(.wav), "a.txt", ".wav, .wave, .flac, .mp3"),
            (.audio(AudioFormat(rawValue: "m4a")), "a.wav", "with .m4a, or"), (.image(.png), "a.jpg", "with .png, or"),
            (.image(.jpeg), "a.png", "with .jpeg, .jpg, or"), (.text, "a.mp3", "with .txt, or"),
            (.text, "a.png", "with .txt, or"), (.text, "a.pdf", "with .txt, or"), (.text, "a.docx", "with .txt, or"),
        ])
    func refused(content: CommandContent, name: String, possible: String) {
        let failure = #expect(throws: CommandFailure.self) { try conversion(content, name) }
        #expect(failure?.status == .usage)
        #expect(failure?.message.contains(possible) == true, "\(failure?.message ?? "")")
    }

    @Test func `A converted file keeps its permissions and audio, without temporary files beside it`() async throws {
        let folder = try TemporaryFolder(.disk)
        let file = folder.url.appending(path: "a.flac")
        try Data("before".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let audio = Voice.audio(of: "Converted.")
        try await AnswerFile(url: file).take(Body(audio), .audio(.flac))
        let inspector = AudioInspector()
        #expect(try inspector.properties(of: .file(file)) == inspector.properties(of: .data(audio)))
        #expect(try Data(contentsOf: file).prefix(4) == Data("fLaC".utf8))
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
        await #expect(throws: AudioError.self) { try await AnswerFile(url: file).take(Body("no sound"), .audio(.flac)) }
        #expect(try Data(contentsOf: file).prefix(4) == Data("fLaC".utf8))
        #expect(try folder.names() == ["a.flac"])
    }
}
