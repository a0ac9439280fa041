/// The command line that was typed, as advice that can be copied: where it read standard input, or printed what no
/// terminal shows, the same words alone would do something else.
struct SameCommand: Sendable, Equatable {
    /// What stands on the command line is not all of a command.
    struct Streams: Sendable, Equatable {
        /// Whether its text came on standard input.
        var readsInput = false
        /// Whether what it makes goes to standard output, and that is no terminal.
        var printsElsewhere = false
    }

    /// The words, without the program's name.
    let words: [String]
    let streams: Streams

    /// As it is typed, with INPUT and OUTPUT for what a shell has put in their places.
    var line: String {
        "hablare " + ShellWords.joined(words) + (streams.readsInput ? " < INPUT" : "")
            + (streams.printsElsewhere ? " > OUTPUT" : "")
    }

    /// What INPUT and OUTPUT are; `nil` where there are none.
    var remark: String? {
        let parts = [
            streams.readsInput ? "INPUT is a file with the text that came on standard input" : nil,
            streams.printsElsewhere ? "OUTPUT is the file for what is made" : nil,
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ") + "; pipes will do, too."
    }
}
