#if os(macOS) || os(Linux)
/// Takes a prompt's words out of what a program said, before it goes into an error that is stored and logged.
///
/// It finds what was repeated literally, in whole or in part, and single words of four letters or more, in capitals or
/// not. Of a program that says the prompt in other letters (escaped, translated) it knows nothing.
struct Redaction: Sendable {
    /// What stands in place of the prompt's words.
    static let mark = "[prompt]"
    /// How many bytes in a row must be the prompt's to be taken out; fewer are words that everybody uses. A shorter
    /// prompt is taken out where it occurs as a whole.
    static let shortest = 12
    /// How many letters a whole word of the prompt has at least to be taken out; shorter ones are everybody's.
    static let shortestWord = 4
    /// What programs say of themselves, which tells nothing of a prompt that has the words too.
    private static let everybodys = Set(
        """
        argument cannot could denied device directory error failed fatal file found from have input invalid language
        line memory missing open option output permission read such text that there this unknown usage voice warning
        with word write
        """.split { $0 == " " || $0 == "\n" }.map { Array($0.utf8) })

    private let prompt: [UInt8]

    /// Creates a redaction of one prompt.
    init(of prompt: String) {
        self.prompt = Array(prompt.utf8)
    }

    /// The end of a program's words without the prompt's, as valid UTF-8.
    ///
    /// - Parameters:
    ///   - words: The words; bytes that are not UTF-8 become U+FFFD.
    ///   - limit: The most bytes of UTF-8 to give.
    /// - Returns: The words, without white space around them; `nil` when nothing is left.
    func tail(of words: [UInt8], limit: Int) -> String? {
        let repaired = Array(String(decoding: words, as: UTF8.self).utf8)
        let kept = redacted(repaired)[...].drop(while: Self.isSpace).suffix(limit)
        let text = kept.drop(while: Self.continuesScalar).reversed().drop(while: Self.isSpace).reversed()
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    private func redacted(_ words: [UInt8]) -> [UInt8] {
        let hidden = promptBytes(in: words)
        var result: [UInt8] = []
        for (index, byte) in words.enumerated() {
            if !hidden[index] {
                result.append(byte)
            } else if index == 0 || !hidden[index - 1] {
                result += Array(Self.mark.utf8)
            }
        }
        return result
    }

    /// Which bytes are the prompt's: all in a run of ``shortest`` that also stands in the prompt, and the rest of the
    /// characters that such a run cuts through. Takes time in proportion to both lengths.
    private func promptBytes(in words: [UInt8]) -> [Bool] {
        var hidden = wholeWords(in: words)
        let width = min(Self.shortest, prompt.count)
        guard width > 0, words.count >= width, !prompt.allSatisfy(Self.isSpace) else { return hidden }
        var positions: [ArraySlice<UInt8>: [Int]] = [:]
        for start in 0...words.count - width where mayHide(words, start, width) {
            positions[words[start..<start + width], default: []].append(start)
        }
        for start in 0...prompt.count - width {
            for start in positions.removeValue(forKey: prompt[start..<start + width]) ?? [] {
                for index in start..<start + width { hidden[index] = true }
            }
        }
        for index in words.indices.dropFirst() where Self.continuesScalar(words[index]) && hidden[index - 1] {
            hidden[index] = true
        }
        for index in words.indices.dropFirst().reversed() where Self.continuesScalar(words[index]) && hidden[index] {
            hidden[index - 1] = true
        }
        return hidden
    }

    /// Which bytes are whole words of the prompt, in capitals or not: a program that quotes the word it cannot say.
    private func wholeWords(in words: [UInt8]) -> [Bool] {
        var hidden = Array(repeating: false, count: words.count)
        let known = Set(Self.longWords(of: prompt).map { Self.folded(prompt[$0]) }).subtracting(Self.everybodys)
        for range in Self.longWords(of: words) where known.contains(Self.folded(words[range])) {
            for index in range { hidden[index] = true }
        }
        return hidden
    }

    /// The words of at least ``shortestWord`` letters.
    private static func longWords(of bytes: [UInt8]) -> [Range<Int>] {
        bytes.indices.split { !isLetter(bytes[$0]) }.filter { $0.count >= shortestWord }.map {
            $0.startIndex..<$0.endIndex
        }
    }

    private static func folded(_ word: ArraySlice<UInt8>) -> [UInt8] {
        word.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 32 : $0 }
    }

    /// A prompt of one to three bytes is hidden only where it stands alone: `a` is not to be cut out of every word.
    private func mayHide(_ words: [UInt8], _ start: Int, _ width: Int) -> Bool {
        guard width < 4 else { return true }
        return !(start > 0 && Self.isLetter(words[start - 1]))
            && !(start + width < words.count && Self.isLetter(words[start + width]))
    }

    private static func continuesScalar(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (byte | 32) >= UInt8(ascii: "a") && (byte | 32) <= UInt8(ascii: "z")
    }
}
#endif
