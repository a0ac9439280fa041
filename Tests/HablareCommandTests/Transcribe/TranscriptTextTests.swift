import Foundation
import Hablare
import Testing

@testable import HablareCommand

@Suite struct TranscriptTextTests {
    private func text(_ segments: [SpokenTime], _ text: String = "x") -> TranscriptText {
        TranscriptText(text: text, segments: segments, words: [])
    }

    @Test func `Times are written as hours, minutes, seconds and milliseconds`() {
        let long = text([SpokenTime(text: "a", start: 3723.0456, end: 360_000)])
        #expect(long.written(as: .srt).contains("01:02:03,046 --> 99:59:59,000"))
        #expect(
            text([SpokenTime(text: "a", start: -1, end: .infinity)]).written(as: .vtt).contains("00:00:00.000 --> 99"))
    }

    @Test func `Text that would break a subtitle is written so that it does not`() {
        let odd = text([SpokenTime(text: "a\n\n<b> & --> c", start: 0, end: 1, speaker: "A>")])
        #expect(
            odd.written(as: .vtt) == "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v A&gt;>a &lt;b&gt; &amp; --&gt; c\n\n")
        #expect(odd.written(as: .srt) == "1\n00:00:00,000 --> 00:00:01,000\nA>: a <b> & --> c\n\n")
    }

    @Test func `The ending of a file says its form`() {
        let forms = ["a.srt": TranscriptFormat.srt, "a.VTT": .vtt, "a.json": .json, "a.txt": .text, "a": .text]
        for (name, format) in forms { #expect(TranscriptFormat(endingOf: URL(filePath: name)) == format) }
        #expect(TranscriptFormat(endingOf: URL(filePath: "a.png")) == nil)
    }

    @Test(
        "The first bytes of a file say what it is",
        arguments: [
            ("RIFF\u{1}\u{2}\u{3}\u{4}WAVE", "mp3", "wav"), ("ID3", "", "mp3"), ("fLaC", "", "flac"),
            ("OggS", "", "ogg"),
            ("\0\0\0\u{18}ftypM4A ", "m4a", "m4a"), ("\0\0\0\u{18}ftypisom", "mp4", "mp4"), ("only text", "mp3", nil),
            ("\u{1}\u{2}", "mp3", "mp3"), ("\u{1}\u{2}", "bin", nil), ("GIF89a", "mp3", nil),
        ] as [(String, String, String?)])
    func formats(bytes: String, ending: String, format: String?) {
        #expect(RecordingFile.format(of: Data(bytes.utf8), ending: ending)?.rawValue == format)
    }

    @Test func `An attached file is what its bytes are`() throws {
        func part(_ text: String, _ name: String = "a.bin") -> Prompt.Part? {
            AttachedFile.part(Data(text.utf8), named: name)
        }
        #expect(part("%PDF-1.7", "a.txt") == .document("%PDF-1.7", .pdf, name: "a.txt"))
        #expect(part("GIF89a") == .image("GIF89a", ImageFormat(rawValue: "gif")))
        #expect(part("ID3") == .audio("ID3", .mp3))
        #expect(part("Grüße", "a.txt") == .text("File a.txt:\n\nGrüße"))
        #expect(part("a\0b") == nil && AttachedFile.part(Data([0xC3]), named: "a") == nil)
        #expect(AttachedFile.link("https://example.com/a.PDF?x=1") == .link("https://example.com/a.PDF?x=1", .document))
        #expect(AttachedFile.link("http://example.com/a.jpg") == .link("http://example.com/a.jpg", .image))
        #expect(AttachedFile.link("a.pdf") == nil)
    }
}
