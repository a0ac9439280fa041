import ArgumentParser
import Foundation

/// The `hablare` command as a library: the executable is a few lines, and tests run the whole of it in process.
public enum HablareCommand {
    /// Runs the command line of this process and ends the process with the command's exit status.
    public static func main() async -> Never {
        exit(await execute(in: .system()).rawValue)
    }

    /// Runs a command line. Errors are told on standard error, in one line that says what to do.
    static func execute(in composition: Composition) async -> ExitStatus {
        let console = composition.console
        do {
            let command: any ParsableCommand
            do {
                command = try RootCommand.parseAsRoot(composition.arguments)
            } catch {
                return try report(error, to: console)
            }
            guard let command = command as? any ComposedCommand else {
                return try report(CleanExit.helpRequest(command), to: console)
            }
            return try await command.run(in: composition)
        } catch {
            let failure = CommandFailure(error)
            if failure.status != .brokenPipe {
                console.hideLine()
                console.note("hablare: \(failure.message)")
            }
            return failure.status
        }
    }

    /// Help and completion scripts go to standard output, usage errors to standard error.
    private static func report(_ error: any Error, to console: Console) throws -> ExitStatus {
        let text = RootCommand.fullMessage(for: error)
        guard RootCommand.exitCode(for: error) != .success else {
            try console.print(text)
            return .success
        }
        console.note("hablare: " + (text.hasPrefix("Error: ") ? String(text.dropFirst("Error: ".count)) : text))
        return .usage
    }
}
