import Hablare

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

    /// When each sentence is spoken, from the beginning of its first word to the end of its last one.
    ///
    /// A sentence ends with `.`, `!`, `?`, `…` or their like of other scripts, with what closes quotes and brackets behind
    /// it, where white space follows and no small letter after that; not after an initial or a usual abbreviation; and
    /// at an empty line.
    var sentences: [SpokenTime] {
        let words = found
        var sentences: [SpokenTime] = []
        var next = 0
        var start = 0
        for end in boundaries {
            let first = next
            while next < words.count, words[next].place.lowerBound < end { next += 1 }
            if next > first {
                let whole = trimmed(start..<end)
                sentences.append(
                    SpokenTime(
                        text: text(whole), start: words[first].time.start,
                        end: words[first..<next].reduce(0) { max($0, $1.time.end) }))
            }
            start = end
        }
        return sentences
    }

    private func trimmed(_ run: Range<Int>) -> Range<Int> {
        var place = run
        while let first = place.first, signs[first].scalar.properties.isWhitespace { place = place.dropFirst() }
        while let last = place.last, signs[last].scalar.properties.isWhitespace { place = place.dropLast() }
        return place
    }

    /// Behind which signs a sentence ends; the end of all among them.
    private var boundaries: [Int] {
        var boundaries: [Int] = []
        var index = 0
        // Behind each mark the next sign that is spoken is looked for, from where the last one was found: a text of
        // nothing but full stops would be gone through once for each.
        var spoken = 0
        while index < signs.count {
            if isEmptyLine(at: index) { boundaries.append(index) }
            guard Self.ends.contains(signs[index].scalar) else {
                index += 1
                continue
            }
            let mark = index
            while index < signs.count, Self.ends.contains(signs[index].scalar) || Self.closes(signs[index].scalar) {
                index += 1
            }
            spoken = firstSpoken(from: max(spoken, index))
            if isEnd(mark: mark, next: index, spoken: spoken) { boundaries.append(index) }
        }
        if boundaries.last != signs.count { boundaries.append(signs.count) }
        return boundaries
    }

    private static let ends: Set<Unicode.Scalar> = [
        ".", "!", "?", "…", "。", "！", "？", "｡", "؟", "۔", "।", "॥", "‼", "⁇", "⁈", "⁉",
    ]
    /// Behind these no space follows.
    private static let endsWithoutSpace: Set<Unicode.Scalar> = ["。", "！", "？", "｡"]

    private static func closes(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .closePunctuation, .finalPunctuation: true
        default: ["\"", "'", "”", "’"].contains(scalar)
        }
    }

    /// Where the first sign is that is neither white space nor punctuation; behind the last one where there is none.
    private func firstSpoken(from start: Int) -> Int {
        var index = start
        while index < signs.count, signs[index].scalar.properties.isWhitespace || Self.isAround(signs[index].scalar) {
            index += 1
        }
        return index
    }

    /// Whether a sentence ends with a mark.
    ///
    /// - Parameters:
    ///   - next: Behind the mark, and what closes quotes and brackets.
    ///   - spoken: Where from there the first sign is that is spoken.
    private func isEnd(mark: Int, next: Int, spoken: Int) -> Bool {
        if next == signs.count || Self.endsWithoutSpace.contains(signs[mark].scalar) { return true }
        guard signs[next].scalar.properties.isWhitespace else { return false }
        if spoken < signs.count, signs[spoken].scalar.properties.isLowercase { return false }
        guard signs[mark].scalar == ".", next == mark + 1 else { return true }
        return !isAbbreviated(before: mark)
    }

    /// Whether the word that a full stop ends is an initial, or short for another one.
    private func isAbbreviated(before mark: Int) -> Bool {
        var start = mark
        while start > 0, !Self.parts(signs[start - 1].scalar) { start -= 1 }
        while start < mark, Self.isAround(signs[start].scalar) { start += 1 }
        let word = text(start..<mark)
        if word.unicodeScalars.count == 1, let only = word.unicodeScalars.first {
            // "I." ends a sentence more often than it begins a name.
            return only.properties.isUppercase && only != "I"
        }
        return Self.abbreviations.contains(word.lowercased())
    }

    private static let abbreviations: Set<String> = [
        "mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "rev", "gen", "col", "capt", "lt", "sgt", "hon", "messrs",
        "vs",
        "etc", "e.g", "i.e", "cf", "no", "vol", "fig", "approx", "bzw", "z.b", "d.h", "u.a", "sra", "ud", "uds", "mme",
        "mlle",
    ]

    private func isEmptyLine(at index: Int) -> Bool {
        guard signs[index].scalar == "\n", index > 0 else { return false }
        var before = index - 1
        while signs[before].scalar != "\n" {
            guard before > 0, signs[before].scalar.properties.isWhitespace else { return false }
            before -= 1
        }
        return true
    }
}
