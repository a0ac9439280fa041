import ArgumentParser
import Foundation
import Hablare

/// The `hablare` command as a library: the executable is a few lines, and tests run the whole of it in process.
public enum HablareCommand {
    /// Runs the command line of this process and ends the process with the command's exit status.
    public static func main() async -> Never {
        StandardDescriptors.occupy()
        StandardDescriptors.surviveBrokenPipes()
        exit(await execute(in: .system()).rawValue)
    }

    /// Runs a command line. Errors are told on standard error, in one line that says what to do.
    static func execute(in composition: Composition) async -> CommandStatus {
        let status = await outcome(in: composition)
        await composition.network.close()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await composition.console.flush() }
            // Somebody who wants us to end does not wait for one who does not read.
            if status == .interrupted || status == .terminated {
                group.addTask { _ = await composition.seams.clock.rest(for: EngineSession.lastWords) }
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
                    // The root alone, or the parser's own help command: both end by throwing what is to be printed.
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

/// The words of a command line as the system has them: bytes, which may be no UTF-8. Pure.
///
/// As text each such place becomes U+FFFD, and another prompt than the person's would be asked, and paid for, or another
/// file be looked for.
struct ArgumentBytes: Sendable, Equatable {
    let words: [[UInt8]]

    func check() throws {
        guard let index = words.firstIndex(where: { String(validating: $0, as: UTF8.self) == nil }) else { return }
        throw CommandFailure(
            .usage,
            """
            Argument \(index + 1) of \(words.count) behind hablare is not UTF-8, and would be taken for another text. \
            Convert a text, as with iconv, and rename a file whose name is not UTF-8.
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

/// Sees to it that the descriptors 0, 1 and 2 can be used in any case, before anything is opened.
///
/// Somebody may start us with standard output closed (`hablare … >&-`). The next file that is opened gets the free
/// number then, and what is meant for the person is written into the database.
enum StandardDescriptors {
    /// Puts the null device on those of the three that are closed: for reading where one would write and the other way
    /// round, so that using it still fails as it would on a closed one.
    static func occupy() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // Gets the lowest free number, which is this one: those below it are taken by now.
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    /// Makes a write to a pipe without a reader fail, where it would end the process on the spot: what is under way
    /// is put in order first. Programs that we run get back what is usual.
    static func surviveBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }
}
