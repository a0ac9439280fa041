import HablareProviders

/// A command line as one would type it.
enum ShellWords {
    /// Joins words, quoting those that a shell would not take as they are.
    static func joined(_ words: [String]) -> String {
        words.map(quoted).joined(separator: " ")
    }

    static func quoted(_ word: String) -> String { ShellWord.quoted(word) }
}
