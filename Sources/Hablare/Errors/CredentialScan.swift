/// Finds text that looks like a credential. Finds words with the prefix of a known vendor's keys, and words after a
/// name such as `key`, `token` or `password`.
struct CredentialScan: Sendable {
    private static let prefixes = [
        "sk-", "sk_", "pk_", "rk_", "xi-", "xai-", "hf_", "gsk_", "ghp_", "gho_", "ghs_", "glpat-", "github_pat_",
        "xoxb-",
        "xoxp-", "AKIA", "ASIA", "AIza", "ya29.", "eyJ",
    ].map { Array($0.utf8) }
    /// The names that precede a credential, without punctuation and in lower case. Names that also precede ordinary
    /// words are in `frequentNames`. A word after such a name counts as a credential only if it contains a digit.
    private static let names: Set<String> = [
        "apikey", "xapikey", "xiapikey", "secret", "clientsecret", "password", "passwd", "authorization",
    ]
    private static let frequentNames: Set<String> = ["key", "token", "accesstoken", "authtoken", "signature"]
    private static let schemes: Set<String> = ["bearer", "basic"]
    /// The minimum length, in bytes, of a word that has a key's prefix (`sk-`) or follows an authentication scheme
    /// (`Bearer`). A word after a name such as `password` may be shorter.
    private static let shortest = 12
    private static let shortestNamed = 8

    let matches: [Bool]

    init(_ text: [UInt8]) {
        var matches = Array(repeating: false, count: text.count)
        var before: (name: String, end: Int)?
        var start = 0
        while start < text.count {
            guard Self.isOfWord(text[start]) else {
                start += 1
                continue
            }
            let end = text[start...].firstIndex { !Self.isOfWord($0) } ?? text.count
            let word = text[start..<end]
            let gap = before.map { text[$0.end..<start] }
            if Self.isCredential(word, after: before?.name, gap) {
                for index in word.indices { matches[index] = true }
            }
            before = (Self.name(of: word), end)
            start = end
        }
        self.matches = matches
    }

    private static func isCredential(
        _ word: ArraySlice<UInt8>, after name: String?, _ gap: ArraySlice<UInt8>?
    ) -> Bool {
        if word.count >= shortest, prefixes.contains(where: word.starts(with:)) { return true }
        guard let name, let gap, gap.count <= 8 else { return false }
        if schemes.contains(name) { return word.count >= shortest }
        guard gap.contains(UInt8(ascii: ":")) || gap.contains(UInt8(ascii: "=")), word.count >= shortestNamed,
            !schemes.contains(Self.name(of: word))
        else { return false }
        return names.contains(name) || frequentNames.contains(name) && word.contains(where: isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Returns the letters and digits of a word in lower case, to compare them with the names. Long words give an empty
    /// text.
    private static func name(of word: ArraySlice<UInt8>) -> String {
        guard word.count <= 24 else { return "" }
        return String(decoding: word.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }, as: UTF8.self)
            .lowercased()
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.~+/%".utf8.contains(byte)
        }
    }
}
