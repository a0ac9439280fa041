import Hablare
import HablareSpeech

/// The times of words and sentences, computed from the times of characters that a service reports.
///
/// Services divide text into characters in different ways: whole characters, letters separate from combining marks, or
/// several characters at once. Therefore this type works with Unicode scalars. Each scalar has the time of its
/// character. Invalid times (decreasing, negative or not a number) are corrected, so that no character begins before
/// the preceding character.
///
/// The times stay in memory until the answer is complete, so their number is limited. If there are more times than the
/// limit, they cannot belong to the text, and all of them are discarded. If only a part were discarded, the rest would
/// look complete.
struct SpeechTimes: Sendable {
    private struct Sign: Sendable {
        var scalar: Unicode.Scalar
        var start: Double
        var end: Double
    }

    private var signs: [Sign] = []
    private var latest = 0.0
    private var farthest = 0.0
    private let limit: Int
    /// Whether there were more characters than the limit. If `true`, no times are kept.
    private(set) var areTooMany = false

    /// Creates times without characters.
    ///
    /// - Parameter limit: The maximum number of Unicode scalars to keep. Default: no limit.
    init(limit: Int = .max) { self.limit = limit }

    /// Creates times for a text, without characters.
    ///
    /// A service may report the text as spoken, with numbers and symbols spelled out. This text has more characters
    /// than the given text. So the limit is sixteen times the number of characters of the given text, plus a thousand.
    init(of text: String) { self.init(limit: text.unicodeScalars.count * 16 + 1000) }

    /// Whether there are no characters.
    var isEmpty: Bool { signs.isEmpty }

    /// Adds the characters of the next piece of sound. If the lists have different lengths, the shortest list
    /// determines the number.
    ///
    /// - Parameters:
    ///   - characters: The spoken characters.
    ///   - starts: The start of each character in seconds, relative to the whole sound or to this piece. If the first
    ///     start is before the end of the previous piece, all times are relative to this piece.
    ///   - ends: The end of each character.
    ///   - elapsed: The length of the sound before this piece in seconds, if known.
    mutating func append(_ characters: [String], starts: [Double], ends: [Double], elapsed: Double? = nil) {
        let count = min(characters.count, starts.count, ends.count)
        guard count > 0, !areTooMany else { return }
        let isOfItsOwn = starts[0].isFinite && starts[0] < farthest - Self.tolerance
        let offset = isOfItsOwn ? max(elapsed ?? farthest, latest) : 0
        for index in 0..<count {
            let start = max(latest, starts[index].isFinite ? starts[index] + offset : latest)
            let end = max(start, ends[index].isFinite ? ends[index] + offset : start)
            latest = start
            farthest = max(farthest, end)
            for scalar in characters[index].unicodeScalars {
                guard signs.count < limit else { return giveUp() }
                signs.append(Sign(scalar: scalar, start: start, end: end))
            }
        }
    }

    private mutating func giveUp() {
        areTooMany = true
        signs = []
    }

    /// The time by which adjacent pieces may overlap: 50 ms, given in seconds. If a piece begins even earlier, its
    /// times are relative to the piece.
    private static let tolerance = 0.05

    // MARK: Words

    private struct Word {
        /// The word's range among the scalars.
        var range: Range<Int>
        var time: SpokenTime
    }

    /// The time of each word.
    ///
    /// White space, long dashes and ellipses separate words. In scripts without separators, each ideograph is a word.
    /// Punctuation around a word is not part of the word. A dash alone is not a word. An emoji is a word.
    var words: [SpokenTime] { found.map(\.time) }

    private var found: [Word] {
        var words: [Word] = []
        var start: Int?
        for index in signs.indices {
            let scalar = signs[index].scalar
            // A mark belongs to the character before it, also to an ideograph (a variation selector).
            if scalar.properties.isIdeographic {
                if let start { add(start..<index, to: &words) }
                start = index
            } else if Self.parts(scalar) {
                if let start { add(start..<index, to: &words) }
                start = nil
            } else if let first = start, signs[first].scalar.properties.isIdeographic, !Self.isMark(scalar) {
                add(first..<index, to: &words)
                start = index
            } else if start == nil {
                start = index
            }
        }
        if let start { add(start..<signs.endIndex, to: &words) }
        return words
    }

    private func add(_ run: Range<Int>, to words: inout [Word]) {
        var range = run
        while let first = range.first, Self.isAround(signs[first].scalar) { range = range.dropFirst() }
        while let last = range.last, Self.isAround(signs[last].scalar) { range = range.dropLast() }
        guard !range.isEmpty else { return }
        words.append(Word(range: range, time: time(of: range)))
    }

    private func time(of range: Range<Int>) -> SpokenTime {
        SpokenTime(
            text: text(range), start: signs[range.lowerBound].start,
            end: signs[range].reduce(0) { max($0, $1.end) })
    }

    private func text(_ range: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: signs[range].lazy.map(\.scalar))
        return String(text)
    }

    /// Whether a scalar separates words: white space, zero-width space, em dash, horizontal bar or ellipsis.
    private static func parts(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || ["\u{200B}", "\u{2014}", "\u{2015}", "\u{2026}"].contains(scalar)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .format: true
        default: false
        }
    }

    /// Whether a scalar is punctuation that is not spoken.
    private static func isAround(_ scalar: Unicode.Scalar) -> Bool {
        if ["%", "&", "#", "@", "§", "‰"].contains(scalar) { return false }
        return switch scalar.properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation:
            true
        default: false
        }
    }

    // MARK: Sentences

    /// The time of each sentence, from the start of its first word to the end of its last word. Sentences end where
    /// `TextSegmenter` splits a text for reading aloud.
    var sentences: [SpokenTime] {
        let words = found
        var sentences: [SpokenTime] = []
        var next = 0
        for range in sentenceRanges {
            let first = next
            while next < words.count, words[next].range.lowerBound < range.upperBound { next += 1 }
            guard next > first else { continue }
            sentences.append(
                SpokenTime(
                    text: text(range), start: words[first].time.start,
                    end: words[first..<next].reduce(0) { max($0, $1.time.end) }))
        }
        return sentences
    }

    /// The ranges of the sentences among the scalars.
    private var sentenceRanges: [Range<Int>] {
        var index = 0
        var offset = 0
        func sign(atByte range: Int) -> Int {
            while offset < range {
                offset += UTF8.width(signs[index].scalar)
                index += 1
            }
            return index
        }
        return TextSegmenter.sentences(of: text(signs.indices)).map { bytes in
            let start = sign(atByte: bytes.lowerBound)
            return start..<sign(atByte: bytes.upperBound)
        }
    }
}
