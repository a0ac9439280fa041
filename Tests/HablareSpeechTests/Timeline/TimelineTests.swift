import Foundation
import HablareSpeech
import Testing

@Suite("Timeline")
struct TimelineTests {
    private func clip(_ index: Int, _ range: Range<Int>, _ start: Int64, _ count: Int64) -> Timeline.Clip {
        Timeline.Clip(
            segment: TextSegment(index: index, text: "x", utf8Range: range), startFrame: start, frameCount: count)
    }

    private func timeline() throws -> Timeline {
        try Timeline(
            audioFile: "out/buch/kapitel é.mp3", sampleRate: 22_050, frameCount: 66_151,
            clips: [clip(0, 3..<20, 0, 22_050), clip(1, 21..<40, 33_075, 33_076)])
    }

    @Test("A timeline encodes to exactly this JSON")
    func json() throws {
        let expected = """
            {
              "audioFile" : "kapitel é.mp3",
              "entries" : [
                {
                  "index" : 0,
                  "length" : 1,
                  "start" : 0,
                  "textRange" : {
                    "end" : 20,
                    "start" : 3
                  }
                },
                {
                  "index" : 1,
                  "length" : 1.500045,
                  "start" : 1.5,
                  "textRange" : {
                    "end" : 40,
                    "start" : 21
                  }
                }
              ],
              "sampleRate" : 22050,
              "seconds" : 3.000045
            }

            """
        #expect(String(decoding: try timeline().json(), as: UTF8.self) == expected)
        #expect(try timeline().json() == timeline().json())
    }

    @Test("A timeline survives encoding and decoding")
    func roundTrip() throws {
        #expect(try Timeline(json: timeline().json()) == timeline())
        #expect(throws: DecodingError.self) { try Timeline(json: Data("{}".utf8)) }
    }

    @Test(
        "Numbers that are impossible for an audio file are refused",
        arguments: [
            (0, 100, 0, 10), (-8_000, 100, 0, 10), (8_000, -1, 0, 0), (8_000, 100, 95, 6), (8_000, 100, 101, 0),
            (8_000, 100, -1, 5), (8_000, 100, 0, -1), (8_000, 100, 1, Int64.max),
        ] as [(Int, Int64, Int64, Int64)])
    func invalid(rate: Int, total: Int64, start: Int64, count: Int64) throws {
        let error = try #require(throws: TextError.self) {
            try Timeline(audioFile: "a.wav", sampleRate: rate, frameCount: total, clips: [clip(0, 0..<1, start, count)])
        }
        #expect(error.code == .invalidTimeline)
    }

    @Test("Overlapping clips are refused")
    func overlap() throws {
        #expect(throws: TextError.self) {
            try Timeline(
                audioFile: "a.wav", sampleRate: 8_000, frameCount: 100,
                clips: [clip(0, 0..<1, 0, 50), clip(1, 1..<2, 49, 10)])
        }
    }
}
