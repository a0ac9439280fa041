import ArgumentParser
import Foundation
import Hablare

/// The `hablare` command as a library, so that tests can run the whole command in process.
public enum HablareCommand {
    /// Runs the command line of this process and ends the process with the command's exit status.
    public static func main() async -> Never {
        StandardDescriptors.occupy()
        StandardDescriptors.surviveBrokenPipes()
        exit(await execute(in: .system()).rawValue)
    }

    /// Runs a command line. An error is reported on standard error, in one line that says what to do.
    static func execute(in composition: Composition) async -> CommandStatus {
        let status = await outcome(in: composition)
        await composition.network.close()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await composition.console.flush() }
            // A user who stopped the command must not wait for a blocked reader.
            if status == .interrupted || status == .terminated {
                group.addTask { _ = await composition.seams.clock.sleepUnlessCancelled(for: EngineSession.lastWords) }
            }
            await group.next()
            group.cancelAll()
        }
        return status
    }

    private static func outcome(in composition: Composition) async -> CommandStatus {
        let console = composition.console
        do {
            try composition.argumentBytes?.check()
            let command: any ComposedCommand
            do {
                var parsed = try RootCommand.parseAsRoot(composition.arguments)
                guard let composed = parsed as? any ComposedCommand else {
                    // The root alone and the parser's help command both end by throwing the text to print.
                    try parsed.run()
                    return .success
                }
                command = composed
            } catch {
                if let mistyped = RootCommand.unknownCommand(in: composition.arguments) { throw mistyped }
                if let text = RootCommand.dashedText(in: composition.arguments) { throw text }
                return try await report(error, of: composition.arguments, to: console)
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

    private static func report(
        _ error: any Error, of arguments: [String], to console: Console
    ) async throws -> CommandStatus {
        let text = RootCommand.fullMessage(for: error)
        guard RootCommand.exitCode(for: error) != .success else {
            try await console.print(text)
            return .success
        }
        let reason = text.hasPrefix("Error: ") ? String(text.dropFirst("Error: ".count)) : text
        console.note("hablare: " + KeyWords.hidden(in: reason, of: arguments))
        return .usage
    }
}

/// The arguments of a command line as the system's bytes, which may not be UTF-8.
///
/// Decoding replaces each invalid sequence with U+FFFD. If such arguments were used, the command would send and pay for
/// a prompt that differs from the user's, or look for another file. Therefore they are refused.
struct ArgumentBytes: Sendable, Equatable {
    let words: [[UInt8]]

    func check() throws {
        guard let index = words.firstIndex(where: { String(validating: $0, as: UTF8.self) == nil }) else { return }
        throw CommandFailure(
            .usage,
            """
            Argument \(index + 1) of \(words.count) after hablare is not UTF-8. Convert a text, for example with \
            iconv. Rename a file whose name is not UTF-8.
            """)
    }
}

extension ArgumentBytes {
    static var ofProcess: ArgumentBytes {
        let pointers = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        return ArgumentBytes(
            words: pointers.dropFirst().compactMap(\.self).map { word in
                [UInt8](UnsafeRawBufferPointer(start: word, count: strlen(word)))
            })
    }
}

/// Ensures that the descriptors 0, 1 and 2 are open before any other file is opened.
///
/// The command may be started with standard output closed (`hablare … >&-`). The next file that is opened, such as the
/// database, would then get the number 1, and the command would write its text for the user into this file.
enum StandardDescriptors {
    /// Opens the null device in place of each of the three descriptors that is closed.
    ///
    /// The null device is opened only for writing for standard input, and only for reading for the two outputs. So
    /// their usual use still fails, as with a closed descriptor.
    static func occupy() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // `open` returns the lowest free number. All lower numbers are open, so it returns `descriptor`.
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    /// Ensures that a write to a pipe without a reader fails and does not end the process. The command can then end the
    /// attempts in flight in order. The programs that the command runs get the default behaviour.
    static func surviveBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }
}
