import AppCommand
import ArgumentParser
import Foundation
import SiftImaging

/// The program. A hidden subcommand makes it a decoding worker, which must begin before anything else runs.
@main
enum Sift {
    /// The name of the hidden subcommand.
    static let worker = "decode-photos"

    static func main() async {
        if CommandLine.arguments.dropFirst().first == worker { exit(ImagingWorker.run()) }
        ProcessMemory.limit()
        exit(
            await CommandRun.execute(SiftCommand.self, Array(CommandLine.arguments.dropFirst())) {
                CommandFailure($0)
            })
    }
}

/// The commands.
struct SiftCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sift",
        abstract: "Sort a folder of photos: trash, keep or mark as favourite, and undo it tomorrow.",
        discussion: """
            EXAMPLES:
              sift serve ~/Pictures           show the photos in the browser
              sift serve ~/Pictures /mnt/card show two folders
              sift restore --last 3 ~/Pictures
                                              undo the last three decisions
              sift export ~/Pictures > decisions.jsonl
                                              write all decisions as JSON, one photo a line
              sift doctor ~/Pictures          check the folder, the trash and the data

            Every decision is on disk before the next photo is shown. Trashed photos are in the desktop's trash. Sift \
            never writes into a photo.

            EXIT STATUS:
              0 done, also after Ctrl-C or SIGTERM in `serve`; 1 partly done, or `doctor` found a problem
              64 usage; 66 a folder is missing; 73 the data directory cannot be created
              74 reading or writing failed; 75 another Sift uses the data, or the port is in use
              78 damaged or newer data or settings
              130 Ctrl-C and 143 SIGTERM in the other commands; 141 the reader of the output closed it
            """,
        subcommands: [Serve.self, Scan.self, Restore.self, Export.self, Doctor.self], defaultSubcommand: Serve.self)

    /// Writes a line to standard error.
    static func note(_ text: String) { CommandRun.note(text, of: "sift") }
}
