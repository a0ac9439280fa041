/// A filter that removes a prompt's words from the messages of a program or a service. The filtered message can become
/// part of an error, which is stored and logged.
///
/// The filter finds literal repetitions of the prompt, as a whole or in part. It also finds single words of at least
/// four letters, and numbers of at least four digits. It ignores case. Ordinary words of error messages are not
/// removed. The filter does not find a prompt in another form, such as an encoded or translated form.
struct Redaction: Sendable {
    /// The text that replaces the prompt's words.
    static let mark = "[prompt]"
    /// The minimum number of consecutive bytes of the prompt that are redacted. Shorter sequences are often ordinary
    /// words. If the whole prompt is shorter, it is redacted where it occurs as a whole.
    static let shortest = 12
    /// The minimum number of letters of a word that is redacted. Shorter words occur in many messages.
    static let shortestWord = 4
    /// The ordinary words of error messages. They reveal nothing, even if they also occur in the prompt.
    private static let everybodys = Set(
        """
        argument cannot could denied device directory error failed fatal file found from have input invalid language
        line memory missing open option output permission read such text that there this unknown usage voice warning
        with word write
        """.split { $0 == " " || $0 == "\n" }.map { Array($0.utf8) })
    /// Further ordinary words in the error messages of services.
    private static let ofServices = Set(
        """
        additionalproperties allowed array assistant boolean context content exceed exceeded exceeds expected false
        format image instead integer length limit maximum message messages model must null number object parameter
        please properties property reduce request required response role schema should string supported system
        temperature tokens tool tools true type unsupported user value values
        """.split { $0 == " " || $0 == "\n" }.map { Array($0.utf8) })

    /// The origin of a message. It selects the list of ordinary words that are not removed from the message.
    enum Speaker: Sendable, Hashable { case program, service }

    private let prompt: [UInt8]
    private let common: Set<[UInt8]>

    /// Creates a redaction for one prompt.
    init(of prompt: String, from speaker: Speaker = .program) {
        self.prompt = Array(prompt.utf8)
        common = speaker == .program ? Self.everybodys : Self.everybodys.union(Self.ofServices)
    }

    /// Returns a message without the prompt's words.
    func redacted(_ text: String) -> String { String(decoding: redacted(Array(text.utf8)), as: UTF8.self) }

    /// Returns the end of a program's message without the prompt's words, as valid UTF-8.
    ///
    /// - Parameters:
    ///   - words: The message. Bytes that are not UTF-8 become U+FFFD.
    ///   - limit: The maximum number of bytes to return.
    /// - Returns: The message without surrounding white space; `nil` if nothing is left.
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

    /// Returns which bytes come from the prompt: every sequence of ``shortest`` bytes that also occurs in the prompt,
    /// extended to whole characters. The time is proportional to the sum of both lengths.
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

    /// Returns which bytes belong to whole words of the prompt, ignoring case. Single words are checked because a
    /// program may quote only the word that it cannot handle.
    private func wholeWords(in words: [UInt8]) -> [Bool] {
        var hidden = Array(repeating: false, count: words.count)
        for isPart in [Self.isLetter, Self.isDigit] {
            let known = Set(Self.longWords(of: prompt, isPart).map { Self.folded(prompt[$0]) }).subtracting(common)
            for range in Self.longWords(of: words, isPart) where known.contains(Self.folded(words[range])) {
                for index in range { hidden[index] = true }
            }
        }
        return hidden
    }

    /// Returns the ranges of words that have at least ``shortestWord`` letters, and of numbers that have at least as
    /// many digits.
    private static func longWords(of bytes: [UInt8], _ isPart: (UInt8) -> Bool) -> [Range<Int>] {
        bytes.indices.split { !isPart(bytes[$0]) }.filter { $0.count >= shortestWord }.map {
            $0.startIndex..<$0.endIndex
        }
    }

    private static func folded(_ word: ArraySlice<UInt8>) -> [UInt8] {
        word.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 32 : $0 }
    }

    /// Returns whether a match may be redacted. A prompt of one to three bytes is redacted only where it is a separate
    /// word. Otherwise a prompt such as `a` would be removed from the inside of other words.
    private func mayHide(_ words: [UInt8], _ start: Int, _ width: Int) -> Bool {
        guard width < 4 else { return true }
        return !(start > 0 && Self.isLetter(words[start - 1]))
            && !(start + width < words.count && Self.isLetter(words[start + width]))
    }

    private static func continuesScalar(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (byte | 32) >= UInt8(ascii: "a") && (byte | 32) <= UInt8(ascii: "z")
    }
}
