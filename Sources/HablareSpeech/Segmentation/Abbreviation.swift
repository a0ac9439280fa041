/// Words whose dot does not end a sentence.
enum Abbreviation {
    /// The words that are abbreviations whatever text follows.
    private static let always: Set<String> = [
        "mr", "mrs", "ms", "dr", "st", "prof", "rev", "hon", "gen", "col", "capt", "lt", "sgt", "maj", "gov", "sen",
        "rep", "pres", "messrs", "mme", "mlle", "msgr", "mt", "vs", "viz", "cf", "etc", "e.g", "i.e", "approx",
        "bzw", "z.b", "d.h", "u.a", "sr", "sra", "ud", "uds",
    ]

    /// The words that are abbreviations only before a number, such as "No. 5". In "No. Not today.", the dot ends the
    /// sentence.
    private static let beforeNumber: Set<String> = [
        "no", "nos", "vol", "fig", "figs", "p", "pp", "ch", "sec", "art", "ca",
        "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
    ]

    /// The length of the longest abbreviation, in scalars.
    private static let longest = 8

    /// Returns whether the letters and dots before an offset are an abbreviation or initials (`J`, `J.R.R`, `U.S`).
    ///
    /// - Parameters:
    ///   - bytes: Well-formed UTF-8.
    ///   - start: The offset at which the word begins. Opening quotes and brackets are skipped.
    ///   - end: The offset of the word's last dot.
    ///   - followedByDigit: Whether the next word begins with a digit.
    static func endsText(of bytes: [UInt8], from start: Int, to end: Int, followedByDigit: Bool) -> Bool {
        var index = end
        var count = 0
        while let (scalar, before) = UTF8Decoding.scalar(of: bytes, endingAt: index, notBefore: start),
            scalar == "." || scalar.properties.isAlphabetic
        {
            index = before
            count += 1
            if count > longest { return false }
        }
        let word = String(decoding: bytes[index..<end], as: UTF8.self)
        if isInitials(word) { return true }
        let key = word.lowercased()
        return always.contains(key) || followedByDigit && beforeNumber.contains(key)
    }

    private static func isInitials(_ word: String) -> Bool {
        word.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            part.unicodeScalars.count == 1 && part.unicodeScalars.allSatisfy(\.properties.isUppercase)
        }
    }
}
