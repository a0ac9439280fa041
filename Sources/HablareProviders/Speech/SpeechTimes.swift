import Hablare
import HablareSpeech

/// Times of characters as a service gives them, put together to times of words and of sentences. Pure.
///
/// Services name characters as they like: whole ones, or letters and combining marks apart, or several at once. So all is
/// done by Unicode scalars, each with the time of what it came in. Times that run backwards, are negative or no numbers are
/// mended: nothing begins before what stands before it.
///
/// They are kept in memory until the answer is whole, so there may be only so many of them. Of more than that, which are not
/// those of the text that was given, nothing is kept at all: half of the times would look like all.
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
    /// Whether there were more characters than are kept, so that none are.
    private(set) var areTooMany = false

    /// No characters yet.
    ///
    /// - Parameter limit: How many Unicode scalars are kept at most. Default: as many as there are.
    init(limit: Int = .max) { self.limit = limit }

    /// No characters yet of a text. Services that tell of the text as it is read aloud (numbers and signs written out)
    /// tell of more characters than it has: sixteen times as many, and a thousand, are more than any do.
    init(of text: String) { self.init(limit: text.unicodeScalars.count * 16 + 1000) }

    /// Whether nothing was said.
    var isEmpty: Bool { signs.isEmpty }

    /// Adds the characters of the next piece of sound. Of lists of different lengths the shortest counts.
    ///
    /// - Parameters:
    ///   - characters: What is spoken.
    ///   - starts: When each begins, in seconds: from the beginning of all sound, or of this piece. Which of the two is
    ///     seen by the first: one that begins again before the end of the piece before is of its own piece.
    ///   - ends: When each ends.
    ///   - heard: How many seconds of sound came before this piece, where that is known.
    mutating func append(_ characters: [String], starts: [Double], ends: [Double], heard: Double? = nil) {
        let count = min(characters.count, starts.count, ends.count)
        guard count > 0, !areTooMany else { return }
        let isOfItsOwn = starts[0].isFinite && starts[0] < farthest - Self.tolerance
        let offset = isOfItsOwn ? max(heard ?? farthest, latest) : 0
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

    /// Neighbours may overlap by so much without being taken for a new beginning: 50 ms.
    private static let tolerance = 0.05

    // MARK: Words

    private struct Word {
        /// Where it stands among the signs.
        var place: Range<Int>
        var time: SpokenTime
    }

    /// When each word is spoken.
    ///
    /// Words are parted by white space, long dashes and dots of omission; of scripts that do not part them each ideograph
    /// is one. Punctuation around a word is not of it; what has nothing else (a dash) is none, and an emoji is one.
    var words: [SpokenTime] { found.map(\.time) }

    private var found: [Word] {
        var words: [Word] = []
        var start: Int?
        for index in signs.indices {
            let scalar = signs[index].scalar
            // A mark belongs to what it stands on, also to an ideograph (a variation selector).
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
        var place = run
        while let first = place.first, Self.isAround(signs[first].scalar) { place = place.dropFirst() }
        while let last = place.last, Self.isAround(signs[last].scalar) { place = place.dropLast() }
        guard !place.isEmpty else { return }
        words.append(Word(place: place, time: time(of: place)))
    }

    private func time(of place: Range<Int>) -> SpokenTime {
        SpokenTime(
            text: text(place), start: signs[place.lowerBound].start,
            end: signs[place].reduce(0) { max($0, $1.end) })
    }

    private func text(_ place: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: signs[place].lazy.map(\.scalar))
        return String(text)
    }

    /// White space, a space without width, the em dash, the horizontal bar, the ellipsis.
    private static func parts(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || ["\u{200B}", "\u{2014}", "\u{2015}", "\u{2026}"].contains(scalar)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .format: true
        default: false
        }
    }

    /// Punctuation, but for signs that are spoken.
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

    /// When each sentence is spoken, from the beginning of its first word to the end of its last one. Sentences end where
    /// a text is cut to be read aloud: see `TextSegmenter`.
    var sentences: [SpokenTime] {
        let words = found
        var sentences: [SpokenTime] = []
        var next = 0
        for place in sentencePlaces {
            let first = next
            while next < words.count, words[next].place.lowerBound < place.upperBound { next += 1 }
            guard next > first else { continue }
            sentences.append(
                SpokenTime(
                    text: text(place), start: words[first].time.start,
                    end: words[first..<next].reduce(0) { max($0, $1.time.end) }))
        }
        return sentences
    }

    /// Where the sentences stand among the signs.
    private var sentencePlaces: [Range<Int>] {
        var index = 0
        var offset = 0
        func sign(atByte place: Int) -> Int {
            while offset < place {
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
