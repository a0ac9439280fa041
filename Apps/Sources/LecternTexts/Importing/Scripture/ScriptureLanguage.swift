/// Languages as sources of scripture name them.
enum ScriptureLanguage {
    /// Returns a tag of BCP 47 for a language that a source names by ISO 639, or `und`.
    static func tag(_ language: String) -> String {
        let tag = language.replacing("_", with: "-")
        guard (2...35).contains(tag.utf8.count), tag.utf8.allSatisfy(isTagByte) else { return "und" }
        let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, (2...3).contains(first.utf8.count) else { return "und" }
        let short = shorter[first.lowercased()] ?? first.lowercased()
        return ([short] + parts.dropFirst().map(String.init)).joined(separator: "-")
    }

    /// Returns the direction in which a language is written.
    static func direction(_ tag: String) -> TextDescription.Direction {
        let parts = tag.lowercased().split(separator: "-")
        if parts.contains(where: { ["arab", "hebr", "syrc", "thaa", "nkoo", "adlm", "rohg", "samr"].contains($0) }) {
            return .rightToLeft
        }
        if parts.contains(where: { ["latn", "cyrl"].contains($0) }) { return .leftToRight }
        let first = parts.first.map(String.init) ?? ""
        return rightToLeft.contains(first) ? .rightToLeft : .leftToRight
    }

    private static func isTagByte(_ byte: UInt8) -> Bool {
        (byte >= 0x30 && byte <= 0x39) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A) || byte == 0x2D
    }

    private static let shorter = [
        "eng": "en", "spa": "es", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "ita": "it", "por": "pt",
        "heb": "he", "ara": "ar", "ell": "el", "gre": "el", "lat": "la", "rus": "ru", "nld": "nl", "dut": "nl",
        "zho": "zh", "chi": "zh", "jpn": "ja", "kor": "ko", "fas": "fa", "per": "fa", "urd": "ur", "hin": "hi",
        "iw": "he",
    ]
    private static let rightToLeft: Set<String> = [
        "ar", "he", "hbo", "fa", "prs", "ur", "ps", "yi", "syr", "syc", "sd", "ug", "ckb", "dv", "arc", "aii", "ks",
        "nqo", "arb", "apc", "arz", "ary", "pes", "pbu", "pnb", "skr", "tru",
    ]
}
