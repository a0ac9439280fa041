/// A cutter that scans the words of a text once and decides where to cut the text.
///
/// The cutter stores only the current position and one possible cut of each kind. When the limit is reached, it goes
/// back to the best cut. After a cut of one kind, the words that were already read contain no other cut of the same
/// kind. So each word is read at most four times, and the total time is proportional to the length of the text.
struct TextCutter {
    /// A part of the text, and whether it contains anything to speak.
    struct Piece {
        let range: Range<Int>
        let speaks: Bool
    }

    private struct Cut {
        let piece: Piece
        let resume: Int
    }

    private let scanner: WordScanner
    private let unit: TextSegmenter.Unit
    private let limit: Int
    private var position: Int

    /// - Parameters:
    ///   - bytes: Well-formed UTF-8 in the range.
    ///   - range: The part to scan.
    init(bytes: [UInt8], range: Range<Int>, unit: TextSegmenter.Unit, limit: Int) {
        self.scanner = WordScanner(bytes: bytes, range: range)
        self.unit = unit
        self.limit = limit
        self.position = scanner.firstWord
    }

    /// Returns the next piece, even if it has nothing to speak. Returns `nil` at the end of the text.
    mutating func next() throws(TextError) -> Piece? {
        let start = position
        var cursor = start
        var length = 0
        var speaks = false
        var sentenceCut: Cut?
        var clauseCut: Cut?
        var wordCut: Cut?

        while cursor < scanner.end {
            let word = scanner.word(at: cursor)
            guard length + word.length <= limit else {
                guard let cut = sentenceCut ?? clauseCut ?? wordCut else { return try skip(word, at: start) }
                position = cut.resume
                return cut.piece
            }
            length += word.length + (word.gap == .none ? 0 : 1)
            speaks = speaks || word.speaks
            cursor = word.next

            let piece = Piece(range: start..<word.end, speaks: speaks)
            if ends(unit, after: word) {
                position = cursor
                return piece
            }
            let cut = Cut(piece: piece, resume: cursor)
            switch word.close {
            case .sentence: sentenceCut = cut
            case .clause: clauseCut = cut
            case .word: wordCut = cut
            }
        }
        return nil
    }

    /// Skips a word that is longer than the limit, such as a row of dashes. Throws an error if the word has a letter or
    /// a digit.
    private mutating func skip(_ word: Word, at start: Int) throws(TextError) -> Piece {
        guard !word.speaks else {
            throw TextError(
                code: .wordTooLong,
                message: """
                    The word at byte \(start) has \(word.length) characters, but a segment may have \(limit): \
                    raise the limit, or put spaces into the word.
                    """,
                byteOffset: start, length: word.length, limit: limit)
        }
        position = word.next
        return Piece(range: start..<word.end, speaks: false)
    }

    private func ends(_ unit: TextSegmenter.Unit, after word: Word) -> Bool {
        switch unit {
        case .sentence: word.close == .sentence
        case .line: word.gap >= .line
        case .paragraph: word.gap == .paragraph
        case .text: word.next >= scanner.end
        }
    }
}
