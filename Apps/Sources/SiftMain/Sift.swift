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
        await SiftCommand.main()
    }
}

/// The commands.
struct SiftCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sift",
        abstract: "Sort a folder of photos: trash, keep or mark as favourite, and undo it tomorrow.",
        subcommands: [Serve.self, Scan.self, Restore.self, Export.self, Doctor.self], defaultSubcommand: Serve.self)
}
