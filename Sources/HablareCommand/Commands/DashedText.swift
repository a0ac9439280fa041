extension RootCommand {
    /// The commands that take a text as their argument.
    private static let takingText: Set<String> = ["generate", "speak", "image", "embed"]

    /// Says what to do with a text that begins with `-`, where a command line is none. The parser itself takes `-what` for
    /// the options `-w`, `-h`, `-a` and `-t`, and so prints the help.
    ///
    /// - Returns: `nil` where no word looks like one.
    static func dashedText(in arguments: [String]) -> CommandFailure? {
        guard let command = arguments.first, takingText.contains(command) else { return nil }
        let words = arguments.prefix { $0 != "--" }
        guard let index = words.firstIndex(where: mayBeText) else { return nil }
        return CommandFailure(
            .usage,
            """
            Argument \(index + 1) begins with - and is no option. A text that does goes to the end, behind --: \
            hablare \(command) … -- TEXT. The value of an option that does is joined to it: --option=VALUE.
            """)
    }

    /// Whether a word begins with `-` and is neither an option nor a number.
    private static func mayBeText(_ word: String) -> Bool {
        guard word.hasPrefix("-"), word.count > 2, Double(word) == nil else { return false }
        if word.hasPrefix("--") { return word.prefix { $0 != "=" }.contains(where: \.isWhitespace) }
        // As -o=FILE, and what people type for --help.
        return word.dropFirst(2).first != "=" && !["-help", "-version"].contains(word)
    }
}
