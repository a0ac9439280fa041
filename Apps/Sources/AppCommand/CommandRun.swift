public import ArgumentParser
import Foundation

/// Runs the command line of an app.
public enum CommandRun {
    /// Runs a command line. Reports an error on standard error, in one line that says what to do.
    ///
    /// - Parameters:
    ///   - root: The app's command.
    ///   - arguments: The arguments, without the program's name.
    ///   - describe: Describes an error of the app.
    /// - Returns: The exit status.
    public static func execute(
        _ root: any ParsableCommand.Type, _ arguments: [String],
        describe: (any Error) -> CommandFailure
    ) async -> Int32 {
        let name = root.configuration.commandName ?? "\(root)"
        do {
            guard ArgumentText.isText(CommandLine.unsafeArgv, count: Int(CommandLine.argc)) else {
                throw CommandFailure(
                    .usage, "An argument is not UTF-8. Rename the file, or name it through a symbolic link.")
            }
            var command = try root.parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return 0
        } catch let status as ExitCode {
            return status.rawValue
        } catch let stop as CommandStop {
            return stop.status
        } catch {
            return report(error, root, name, describe)
        }
    }

    private static func report(
        _ error: any Error, _ root: any ParsableCommand.Type, _ name: String,
        _ describe: (any Error) -> CommandFailure
    ) -> Int32 {
        let code = root.exitCode(for: error)
        // The parser throws its help, and its own errors; all others are of the commands.
        if code == .success {
            print(root.fullMessage(for: error))
            return 0
        }
        if code == .validationFailure {
            let text = root.fullMessage(for: error)
            note(text.hasPrefix("Error: ") ? String(text.dropFirst("Error: ".count)) : text, of: name)
            return CommandFailure.Status.usage.rawValue
        }
        let failure = describe(error)
        note(failure.message, of: name)
        return failure.status.rawValue
    }

    /// Writes a line to standard error.
    public static func note(_ text: String, of name: String) {
        FileHandle.standardError.write(Data("\(name): \(text)\n".utf8))
    }
}
