import Foundation
import HablareSpeech
import Testing

@Suite("Segmentation properties")
struct SegmentationPropertyTests {
    private static let words = [
        "a", "I", "the", "Mr.", "e.g.", "St.", "J.", "3.14", "1,000", "don't", "naïve", "Ünder", "e\u{301}t", "x—y",
        "½",
        "今日", "は。", "元気！", "，", "「はい」", "👩‍👩‍👧", "* * *", "---", "……", "“Go!”", "(no.)", "end.", "What?", "so:",
        "but;", "and,", "No.", "1.", "22.", "supercalifragilistic", "नमस्ते।", "مرحبا،", "*hm.*", ".", "!?", "…", "§",
        "\u{200D}",
    ]
    private static let gaps = [
        " ", " ", " ", " ", "  ", "\t", "\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\n \n", "\u{A0}", "\u{3000}",
        "\u{2028}", "\u{2029}", "",
    ]

    private static func text(_ random: inout SeededGenerator) -> String {
        var text = ["", "\u{FEFF}", "  \n"].pick(&random) + "A"
        for _ in 0..<Int.random(in: 0...120, using: &random) {
            text += gaps.pick(&random) + words.pick(&random)
        }
        return text
    }

    private static func speaks(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .otherNumber || scalar.properties.numericType != nil
            || CharacterSet.letters.subtracting(.nonBaseCharacters).contains(scalar)
    }

    @Test(
        "Every letter and digit is in one segment, no segment exceeds the limit, and no word is cut", arguments: 0..<300
    )
    func properties(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        let text = Self.text(&random)
        let source = try source(text)
        let limit = [Int.random(in: 1...12, using: &random), Int.random(in: 20...200, using: &random)].pick(&random)
        for unit in TextSegmenter.Unit.allCases {
            let segmenter = try TextSegmenter(unit: unit, limit: limit)
            switch Result(catching: { () throws(TextError) in try segmenter.segments(of: source) }) {
            case .success(let segments): check(segments, of: source, limit: limit)
            case .failure(let error): try check(error, of: source, limit: limit)
            }
        }
    }

    private func check(_ segments: [TextSegment], of source: SourceText, limit: Int) {
        #expect(segments.map(\.index) == Array(segments.indices))
        var previousEnd = source.utf8Range.lowerBound
        for segment in segments {
            #expect(segment.utf8Range.lowerBound >= previousEnd)
            previousEnd = segment.utf8Range.upperBound
            let original = source[segment.utf8Range]
            #expect(original.map(trimmedAndFolded)?.unicodeScalars.elementsEqual(segment.text.unicodeScalars) == true)
            #expect(segment.text.unicodeScalars.count <= limit)
            #expect(segment.text.unicodeScalars.contains(where: Self.speaks))
            #expect(isBetweenWords(segment.utf8Range.lowerBound, in: source))
            #expect(isBetweenWords(segment.utf8Range.upperBound, in: source))
        }
        let all = source.text.unicodeScalars.filter(Self.speaks)
        let spoken = segments.flatMap { $0.text.unicodeScalars.filter(Self.speaks) }
        #expect(all.elementsEqual(spoken))
    }

    /// Returns whether an offset is at an edge of the text, beside white space, or after full-width punctuation and its
    /// closing marks.
    private func isBetweenWords(_ offset: Int, in source: SourceText) -> Bool {
        guard let before = source[source.utf8Range.lowerBound..<offset]?.unicodeScalars,
            let after = source[offset..<source.utf8Range.upperBound]?.unicodeScalars
        else { return false }
        guard let last = before.last, let first = after.first else { return true }
        if last.properties.isWhitespace || first.properties.isWhitespace { return true }
        let word = before.reversed().prefix { !$0.properties.isWhitespace }
        let tail = word.prefix { !Self.speaks($0) }
        return tail.contains { "。！？，、；：．".unicodeScalars.contains($0) }
    }

    private func check(_ error: TextError, of source: SourceText, limit: Int) throws {
        #expect(error.code == .wordTooLong)
        let offset = try #require(error.byteOffset)
        let length = try #require(error.length)
        #expect(error.limit == limit)
        #expect(length > limit)
        #expect(isBetweenWords(offset, in: source))
        let rest = try #require(source[offset..<source.utf8Range.upperBound])
        let word = rest.unicodeScalars.prefix(length)
        #expect(word.count == length)
        #expect(!word.contains { $0.properties.isWhitespace })
        #expect(word.contains(where: Self.speaks))
    }

    @Test(
        "The segments of a low limit lie inside those of a high limit",
        arguments: 0..<100)
    func nesting(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        let source = try source(Self.text(&random))
        for unit in TextSegmenter.Unit.allCases {
            let whole = try TextSegmenter(unit: unit, limit: 1_000_000).segments(of: source)
            let parts = try TextSegmenter(unit: unit, limit: 200).segments(of: source)
            for part in parts {
                #expect(whole.contains { $0.utf8Range.clamped(to: part.utf8Range) == part.utf8Range })
            }
        }
    }
}
