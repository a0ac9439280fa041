import Foundation
import HablareAudio
import Testing

@testable import LecternCore

@Suite struct EncodedSpeechTests {
    private func speech(_ milliseconds: Int, rate: Int = 22_050, channels: Int = 1) throws -> EncodedSpeech {
        try SpeechConverter.convert([.data(TestSound.wav(milliseconds: milliseconds, rate: rate, channels: channels))])
    }

    @Test(arguments: [(1_000, 22_050), (990, 22_050), (1_001, 24_000), (20, 48_000), (333, 44_100), (777, 8_000)])
    func `Speech lasts as long as its sound, rounded up to a packet`(milliseconds: Int, rate: Int) throws {
        let frames = rate * milliseconds / 1_000
        let converted = (frames * 24_000 + rate - 1) / rate
        #expect(try speech(milliseconds, rate: rate).milliseconds == (converted + 479) / 480 * 20)
    }

    @Test func `A decoder finds exactly the frames of the packets in an Ogg file`() throws {
        let speech = try speech(3_210)
        let properties = try AudioInspector().properties(of: .data(speech.oggFile()))
        #expect(properties.seconds == Double(speech.milliseconds) / 1_000)
        #expect(properties.channelCount == 1)
    }

    @Test func `Verses that follow one another last as long as together`() throws {
        var chapter = try speech(1_234)
        let verse = try speech(2_345, rate: 24_000, channels: 2)
        let lengths = chapter.milliseconds + verse.milliseconds
        chapter.append(verse)
        #expect(chapter.milliseconds == lengths)
        let properties = try AudioInspector().properties(of: .data(chapter.oggFile()))
        #expect(Int((properties.seconds * 1_000).rounded()) == lengths)
    }

    @Test func `The same sound has the same bytes`() throws {
        #expect(try speech(1_500).oggFile() == speech(1_500).oggFile())
    }

    @Test func `The sound of a verse begins where its packets begin`() throws {
        // Silence, then a tone that begins with the second verse.
        var chapter = try SpeechConverter.convert([.data(TestSound.wav(milliseconds: 1_000, frequency: 0))])
        let start = chapter.milliseconds
        chapter.append(try speech(500))
        let decoder = try AudioDecoder(.data(chapter.oggFile()))
        var all: [Int16] = []
        var block: [Int16] = []
        while try decoder.nextBlock(into: &block) > 0 { all += block }
        let first = try #require(all.firstIndex { abs(Int($0)) > 2_000 })
        let heard = Double(first) / Double(decoder.sampleRate) * 1_000
        #expect(abs(heard - Double(start)) < 10)
    }

    @Test func `A blob round trip keeps the packets, and a damaged blob is refused`() throws {
        let speech = try speech(700)
        #expect(EncodedSpeech(blob: speech.blob) == speech)
        #expect(EncodedSpeech(blob: EncodedSpeech().blob) == EncodedSpeech())
        for count in [0, 3, 7, 8, 20, speech.blob.count - 1] {
            #expect(EncodedSpeech(blob: speech.blob.prefix(count)) == nil)
        }
        #expect(EncodedSpeech(blob: speech.blob + Data([0])) == nil)
        #expect(EncodedSpeech(blob: Data("LSP1".utf8) + Data([255, 255, 255, 255])) == nil)
    }

    @Test func `Sound that is none is refused with advice`() {
        #expect(throws: SpeechAudioError.self) { try SpeechConverter.convert([.data(Data("no sound".utf8))]) }
        #expect(throws: SpeechAudioError.self) { try SpeechConverter.convert([.data(TestSound.wav(milliseconds: 0))]) }
    }

    @Test(arguments: [1_000, 500_000])
    func `A sample rate that no voice has is refused with advice`(rate: Int) {
        #expect(throws: SpeechAudioError.self) { try speech(100, rate: rate) }
    }

    @Test func `Long comments are written over several pages`() throws {
        var file = Data()
        var writer = OggOpusWriter(tags: (0..<3_000).map { ("CHAPTER\($0)", String(repeating: "n", count: 40)) }) {
            file.append($0)
        }
        writer.append(try speech(1_000))
        writer.finish()
        #expect(try AudioInspector().properties(of: .data(file)).seconds == 1)
    }
}
