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
        exit(await SiftCommand.execute(Array(CommandLine.arguments.dropFirst())))
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

    /// Runs a command line. Reports an error on standard error, in one line that says what to do.
    ///
    /// - Returns: The exit status.
    static func execute(_ arguments: [String]) async -> Int32 {
        do {
            guard ArgumentText.isText(CommandLine.unsafeArgv, count: Int(CommandLine.argc)) else {
                throw CommandFailure(
                    .usage, "An argument is not UTF-8. Rename the folder, or name it through a symbolic link.")
            }
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return 0
        } catch let status as ExitCode {
            return status.rawValue
        } catch {
            return report(error)
        }
    }

    private static func report(_ error: any Error) -> Int32 {
        let code = exitCode(for: error)
        // The parser throws its help, and its own errors; all others are of the commands.
        if code == .success {
            print(fullMessage(for: error))
            return 0
        }
        if code == .validationFailure {
            let text = fullMessage(for: error)
            note(text.hasPrefix("Error: ") ? String(text.dropFirst("Error: ".count)) : text)
            return CommandFailure.Status.usage.rawValue
        }
        let failure = CommandFailure(error)
        note(failure.message)
        return failure.status.rawValue
    }

    /// Writes a line to standard error.
    static func note(_ text: String) {
        FileHandle.standardError.write(Data("sift: \(text)\n".utf8))
    }
}

/// The bytes of the command line.
enum ArgumentText {
    /// Returns whether all arguments are UTF-8. Others cannot be told apart once they are text.
    static func isText(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, count: Int) -> Bool {
        UnsafeBufferPointer(start: arguments, count: count).compactMap(\.self).allSatisfy { word in
            String(validatingCString: word) != nil
        }
    }
}
