import Foundation
import Hablare
import Testing

@testable import HablareProviders

@Suite struct SoundFormatTests {
    @Test(
        "Names are read and written",
        arguments: [
            ("mp3_44100_128", SoundFormat(.mp3, sampleRate: 44_100, kilobits: 128), AudioFormat.mp3),
            ("mp3_22050_32", SoundFormat(.mp3, sampleRate: 22_050, kilobits: 32), .mp3),
            ("pcm_16000", SoundFormat(.pcm, sampleRate: 16_000), .wav),
            ("ulaw_8000", SoundFormat(.ulaw, sampleRate: 8000), .wav),
            ("alaw_8000", SoundFormat(.alaw, sampleRate: 8000), .wav),
            ("wav_44100", SoundFormat(.wav, sampleRate: 44_100), .wav),
            ("opus_48000_64", SoundFormat(.opus, sampleRate: 48_000, kilobits: 64), AudioFormat(rawValue: "opus")),
        ])
    func names(name: String, format: SoundFormat, audio: AudioFormat) {
        #expect(SoundFormat(name) == format)
        #expect(format.name == name)
        #expect(format.audioFormat == audio)
    }

    @Test(
        "Short names stand for usual formats",
        arguments: [
            ("mp3", "mp3_44100_128"), ("wav", "pcm_24000"), ("pcm", "pcm_24000"), ("ulaw", "ulaw_8000"),
            ("alaw", "alaw_8000"), ("opus", "opus_48000_64"),
        ])
    func shortNames(short: String, long: String) { #expect(SoundFormat(short)?.name == long) }

    @Test(
        "Invalid names are refused",
        arguments: [
            "", "flac", "mp3_", "mp3_44100", "mp3_44100_", "mp3_44100_128_1", "pcm_1", "pcm_16000_16", "PCM_16000",
            "pcm_+16000", "pcm_99999999999999999999", "mp3_44100_0", "_", "pcm_ 16000",
        ])
    func none(name: String) { #expect(SoundFormat(name) == nil) }

    @Test(
        "Bytes give the time if the bit rate is constant",
        arguments: [
            ("pcm_16000", 32_000, 1000 as Int64?), ("ulaw_8000", 4000, 500), ("mp3_44100_128", 16_000, 1000),
            ("opus_48000_64", 16_000, nil), ("wav_16000", 16_000, nil),
        ])
    func time(name: String, bytes: Int, expected: Int64?) {
        #expect(SoundFormat(name)?.milliseconds(ofBytes: bytes) == expected)
    }

    // MARK: Headers

    private func number(_ bytes: Data, _ place: Int, _ count: Int) -> Int {
        bytes.dropFirst(place).prefix(count).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    @Test func `A header of plain samples says what they are`() {
        let header = WaveHeader(.pcm, sampleRate: 24_000).bytes(before: 1000)
        #expect(header.count == 44)
        #expect(header.prefix(4) == Data("RIFF".utf8) && header[8..<16] == Data("WAVEfmt ".utf8))
        #expect(number(header, 4, 4) == 1036)
        #expect(number(header, 16, 4) == 16 && number(header, 20, 2) == 1 && number(header, 22, 2) == 1)
        #expect(number(header, 24, 4) == 24_000 && number(header, 28, 4) == 48_000)
        #expect(number(header, 32, 2) == 2 && number(header, 34, 2) == 16)
        #expect(header[36..<40] == Data("data".utf8) && number(header, 40, 4) == 1000)
    }

    @Test func `A header of coded samples says how many there are`() {
        let file = WaveHeader(.ulaw, sampleRate: 8000).file(Data([1, 2, 3]))
        #expect(file.count == 58 + 4, "padded to an even size")
        #expect(number(file, 4, 4) == file.count - 8)
        #expect(number(file, 16, 4) == 18 && number(file, 20, 2) == 7 && number(file, 34, 2) == 8)
        #expect(file[38..<42] == Data("fact".utf8) && number(file, 46, 4) == 3)
        #expect(file[50..<54] == Data("data".utf8) && number(file, 54, 4) == 3)
        #expect(file[58..<62] == Data([1, 2, 3, 0]))
    }

    @Test func `A size that nobody knows, or that does not fit, is the largest there is`() {
        let stream = WaveHeader(.pcm, sampleRate: 8000).bytes(before: nil)
        #expect(number(stream, 4, 4) == 0xFFFF_FFFF && number(stream, 40, 4) == 0xFFFF_FFFF)
        let huge = WaveHeader(.pcm, sampleRate: 8000).bytes(before: Int(UInt32.max))
        #expect(number(huge, 40, 4) == 0xFFFF_FFFF)
    }
}
