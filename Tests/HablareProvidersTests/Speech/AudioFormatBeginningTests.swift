import Foundation
import Hablare
import Testing

@testable import HablareProviders

@Suite struct AudioFormatBeginningTests {
    /// Returns the first page of an Ogg file.
    private static func ogg(_ content: String) -> Data {
        Data("OggS".utf8) + Data(count: 23) + Data([19]) + Data(content.utf8) + Data(count: 11)
    }

    private static let wave = Data("RIFF".utf8) + Data([0xFF, 0xFF, 0xFF, 0xFF]) + Data("WAVEfmt ".utf8)

    @Test(
        "The first bytes identify the format of sound",
        arguments: [
            (wave, "wav"), (Data("fLaC".utf8), "flac"), (ogg("OpusHead"), "opus"), (ogg("\u{1}vorbis "), "ogg"),
            (Data("ID3".utf8), "mp3"), (Data([0xFF, 0xFB, 0x90, 0x64]), "mp3"),
            (Data([0xFF, 0xF3, 0x40, 0xC0]), "mp3"),
            (Data([0xFF, 0xF1, 0x50, 0x80]), "aac"), (Data([0xFF, 0xF9, 0x50, 0x80]), "aac"),
        ])
    func known(beginning: Data, format: String) {
        let bytes = Data([0]) + beginning + Data(count: 100)
        for asked in ["mp3", "wav", "flac", "opus", "aac"] {
            // A slice does not start at index 0.
            let found = AudioFormat(of: bytes.dropFirst(), askedFor: AudioFormat(rawValue: asked))
            #expect(found.rawValue == format, "asked for \(asked)")
        }
    }

    @Test(
        "Sound with an unknown beginning has the requested format",
        arguments: [
            Data(), Data([0xFF]), Data([0xFF, 0xFB]), Data("RIFF".utf8), Data("RIFF    AVI ".utf8), Data("Ogg".utf8),
            Data([0xFF, 0xFB, 0xF0, 0]), Data([0xFF, 0xFB, 0x9C, 0]), Data([0xFF, 0xE1, 0, 0]), Data(count: 100),
        ])
    func unknown(beginning: Data) {
        for asked in ["mp3", "wav", "flac", "opus", "aac", "pcm"] {
            #expect(AudioFormat(of: beginning, askedFor: AudioFormat(rawValue: asked)).rawValue == asked)
        }
    }

    @Test func `Bare samples may begin as a frame does, and not as a file does`() {
        let samples = AudioFormat(rawValue: "pcm")
        for beginning in [[0xFF, 0xFB, 0x90, 0x64], [0xFF, 0xF1, 0x50, 0x80]] as [[UInt8]] {
            #expect(AudioFormat(of: Data(beginning), askedFor: samples) == samples)
        }
        #expect(AudioFormat(of: Self.wave, askedFor: samples) == .wav)
    }
}
