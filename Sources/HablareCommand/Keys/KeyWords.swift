import HablareProviders

/// What the argument parser says of a command line of `hablare keys`, without what may be a key.
///
/// It repeats the words that it does not understand, and whoever gives a key as an argument by mistake would see it in
/// the terminal, and in every log of that.
enum KeyWords {
    private static let known: Set<String> = Set(
        [
            "keys", "set", "list", "test", "delete", "help", "-h", "--help", "--version", "--account", "--expires",
            "--json", "--config",
        ]
            + KnownService.all.map(\.id))

    /// A message with a mark in place of each word of the command line that is none of the command's own.
    static func hidden(in message: String, of arguments: [String]) -> String {
        guard arguments.first == "keys" else { return message }
        let words = arguments.flatMap { word in
            [word]
                + (word.firstIndex(of: "=").map { [String(word[..<$0]), String(word[word.index(after: $0)...])] } ?? [])
        }
        return words.filter { !$0.isEmpty && !known.contains($0) }.sorted { $0.count > $1.count }
            .reduce(message) { message, word in
                // A short one may be a part of other words.
                let message = message.replacing("'\(word)'", with: "'…'")
                return word.count < leastOfKey ? message : message.replacing(word, with: "…")
            }
    }

    private static let leastOfKey = 8
}
