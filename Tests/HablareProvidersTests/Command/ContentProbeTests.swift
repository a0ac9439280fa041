#if os(macOS) || os(Linux)
import Hablare
import Testing

@testable import HablareProviders

@Suite struct ContentProbeTests {
    private static func chunk(_ id: String, claims length: UInt32, _ bytes: [UInt8]) -> [UInt8] {
        Array(id.utf8) + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + bytes
    }

    private static func wav(_ chunks: [UInt8]...) -> [UInt8] {
        Array("RIFF".utf8) + [0xFF, 0xFF, 0xFF, 0x7F] + Array("WAVE".utf8) + chunks.flatMap { $0 }
    }

    private static let format = chunk("fmt ", claims: 16, Array(repeating: 1, count: 16))

    @Test(
        "A WAV file is valid if it has sound, whatever its header states",
        arguments: [
            (wav(format, chunk("data", claims: 2, [1, 2])), true),
            (wav(format, chunk("data", claims: 0x7FFF_F000, [1])), true),
            (wav(format, chunk("data", claims: 0, [1])), true),
            (wav(format, chunk("LIST", claims: 3, [0, 0, 0, 0]), chunk("data", claims: 1, [1])), true),
            (wav(format, chunk("data", claims: 2, [])), false),
            (wav(format, chunk("data", claims: 0, chunk("LIST", claims: 2, [0, 0]))), false),
            (wav(format), false), (wav(), false), (wav(chunk("fmt ", claims: .max, [])), false),
            (Array("RIFF".utf8), false), (Array("RIFFxxxxAVI ".utf8), false), (Array("<html>".utf8), false),
        ])
    func sound(bytes: [UInt8], isGood: Bool) {
        #expect((ContentProbe.problem(of: bytes, as: .audio(.wav)) == nil) == isGood)
    }

    @Test(
        "Content must begin with its format's signature",
        arguments: [
            (CommandContent.audio(.mp3), Array("ID3\u{4}".utf8), true), (.audio(.mp3), [0xFF, 0xFB, 0x90, 0x00], true),
            (.audio(.mp3), [0xFF, 0xFB, 0xF0, 0x00], false), (.audio(.mp3), [0xFF], false),
            (.audio(.flac), Array("fLaC".utf8), true), (.audio(.flac), Array("OggS".utf8), false),
            (.audio(AudioFormat(rawValue: "ogg")), Array("OggS".utf8), true),
            (.audio(AudioFormat(rawValue: "opus")), Array("RIFF".utf8), false),
            (.audio(AudioFormat(rawValue: "pcm")), [0], true), (.image(.png), [0x89], false),
            (.image(.jpeg), [0xFF, 0xD8, 0xFF], true), (.image(.webp), Array("RIFFxxxxWEBP".utf8), true),
            (.text, Array("café".utf8), true), (.text, [0xC3], false), (.data, [0xC3], true),
            (.data, [], false), (.text, [], false), (.audio(.wav), [], false),
        ])
    func beginning(content: CommandContent, bytes: [UInt8], isGood: Bool) {
        #expect((ContentProbe.problem(of: bytes, as: content) == nil) == isGood)
    }
}
#endif
