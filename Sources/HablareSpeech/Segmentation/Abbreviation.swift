/// The words whose dot does not end a sentence.
enum Abbreviation {
    /// Whatever follows.
    private static let always: Set<String> = [
        "mr", "mrs", "ms", "dr", "st", "prof", "rev", "hon", "gen", "col", "capt", "lt", "sgt", "maj", "gov", "sen",
        "rep", "pres", "messrs", "mme", "mlle", "msgr", "mt", "vs", "viz", "cf", "etc", "e.g", "i.e", "approx",
        "bzw", "z.b", "d.h", "u.a", "sr", "sra", "ud", "uds",
    ]

    /// Only before a number: "No. 5", but "No. Not today."
    private static let beforeNumber: Set<String> = [
        "no", "nos", "vol", "fig", "figs", "p", "pp", "ch", "sec", "art", "ca",
        "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
    ]

    /// The longest of them, in scalars.
    private static let longest = 8

    /// Whether the letters and dots before an offset are an abbreviation or initials (`J`, `J.R.R`, `U.S`).
    ///
    /// - Parameters:
    ///   - bytes: well-formed UTF-8.
    ///   - start: where the word begins; opening quotes and brackets are passed over.
    ///   - end: where its last dot stands.
    ///   - followedByDigit: whether the next word begins with a digit.
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
