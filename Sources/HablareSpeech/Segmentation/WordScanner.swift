/// A scanner that finds the words of a text. For each word, it also finds the unit that ends with the word, and the
/// white space after the word.
struct WordScanner {
    private let bytes: [UInt8]
    private let start: Int
    /// The byte offset of the text's end.
    let end: Int

    /// - Parameters:
    ///   - bytes: Well-formed UTF-8 in the range.
    ///   - range: The part to scan.
    init(bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        self.start = range.lowerBound
        self.end = range.upperBound
    }

    /// The byte offset of the first word.
    var firstWord: Int {
        WhiteSpace.end(of: bytes, from: start, to: end)
    }

    /// Returns the word that begins at an offset. There must be no white space at the offset.
    func word(at offset: Int) -> Word {
        var word = Word(end: offset, next: end, length: 0, speaks: false, gap: .none, close: .word)
        /// The unit that ends if the word ends at the current position.
        var close = Word.Close.word
        /// Whether the closing mark at this position is full-width, and so needs no white space after it.
        var wide = false
        /// The offset of a single dot if nothing follows it yet.
        var lastDot: Int?

        scan: while word.end < end {
            let (kind, length) = ScalarClass.at(word.end, of: bytes)
            if wide, kind == .speech || kind == .other || kind == .eitherQuote { break }
            let dot = kind == .dot && close == .word ? word.end : nil
            switch kind {
            case .whiteSpace: break scan
            case .dot, .terminator: close = .sentence
            case .wideTerminator: (close, wide) = (.sentence, true)
            case .clause: close = .clause
            case .wideClause: (close, wide) = (.clause, true)
            case .closer, .eitherQuote: break
            case .speech:
                word.speaks = true
                close = .word
            case .other: close = .word
            }
            lastDot = dot
            word.end += length
            word.length += 1
        }

        (word.gap, word.next) = gap(at: word.end)
        word.close = decided(close, of: word, at: offset, lastDot: lastDot)
        return word
    }

    private func decided(_ close: Word.Close, of word: Word, at offset: Int, lastDot: Int?) -> Word.Close {
        if word.gap == .paragraph { return .sentence }
        guard close == .sentence else { return close }
        if startsLowercase(at: word.next) { return .word }
        if let lastDot, isAbbreviated(at: lastDot, wordStart: offset, next: word.next) { return .word }
        return .sentence
    }

    private func startsLowercase(at offset: Int) -> Bool {
        UTF8Decoding.scalar(of: bytes, at: offset).scalar.properties.isLowercase
    }

    /// Returns whether a dot belongs to an abbreviation, an initial, or the number of a list item.
    private func isAbbreviated(at dot: Int, wordStart: Int, next: Int) -> Bool {
        let word = bytes[wordStart..<dot]
        if 1...3 ~= word.count, word.allSatisfy({ 0x30...0x39 ~= $0 }) { return beginsLine(wordStart) }
        // "I." ends a sentence more often than it begins a name. At the beginning of a line it is a number.
        if word.elementsEqual("I".utf8) { return beginsLine(wordStart) }
        let followedByDigit = 0x30...0x39 ~= bytes[next]
        return Abbreviation.endsText(of: bytes, from: wordStart, to: dot, followedByDigit: followedByDigit)
    }

    private func beginsLine(_ offset: Int) -> Bool {
        var index = offset
        while let (scalar, before) = UTF8Decoding.scalar(of: bytes, endingAt: index, notBefore: start) {
            switch scalar {
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": return true
            case _ where scalar.properties.isWhitespace: index = before
            default: return false
            }
        }
        return true
    }

    /// Returns the kind of white space at an offset, and the offset of its end.
    private func gap(at offset: Int) -> (Word.Gap, Int) {
        var gap = Word.Gap.none
        var index = offset
        while index < end {
            let length = WhiteSpace.length(in: bytes, at: index)
            if length == 0 { return (gap, index) }
            gap = max(gap, .space)
            switch UTF8Decoding.scalar(of: bytes, at: index).scalar {
            case "\r" where index + 1 < end && bytes[index + 1] == 0x0A: break
            case "\n", "\r", "\u{85}", "\u{2028}": gap = gap < .line ? .line : .paragraph
            case "\u{2029}": gap = .paragraph
            default: break
            }
            index += length
        }
        return (.paragraph, end)
    }
}
