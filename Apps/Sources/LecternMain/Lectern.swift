import AppCommand
import ArgumentParser
import Foundation

/// The program.
@main
enum Lectern {
    static func main() async {
        exit(
            await CommandRun.execute(LecternRoot.self, Array(CommandLine.arguments.dropFirst())) {
                CommandFailure(of: $0)
            })
    }
}

/// The commands.
struct LecternRoot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lectern",
        abstract: "Read, mark and search the Bible, and your own books, in the browser.",
        discussion: """
            EXAMPLES:
              lectern import kjv web          import the King James Version and the World English Bible
              lectern import book.epub        import a book of one's own
              lectern serve                   show the pages; prints the link to open
              lectern narrate John            make the audio of a book, so that it plays at once
              lectern export John -o jn.epub  write a book that reads itself aloud
              lectern export -o lectern.json  write marks, notes, plans and history as JSON
              lectern doctor                  check the data and the texts

            EXIT STATUS:
              0 done, also after Ctrl-C or SIGTERM in `serve`
              1 partly done: a voice could not read some verses, or `doctor` found a problem
              64 usage; 65 a text is damaged or of no known format; 66 a file, a text or a passage is missing
              69 a voice, or a program that reads a text, is missing; 73 the data directory or the output cannot be created
              74 reading or writing failed; 75 another Lectern uses the data, or the port is in use
              78 damaged or newer data or settings
              130 Ctrl-C and 143 SIGTERM in the other commands; 141 the reader of the output closed it
            """,
        subcommands: [Serve.self, Import.self, Narrate.self, Export.self, Doctor.self], defaultSubcommand: Serve.self)
}
