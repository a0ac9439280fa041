#if os(Linux)
import Foundation
import Glibc
import HablareProviders
import HablareTestFiles

/// A configuration folder, with a space in its name, and processes of `hablare keys` that use it.
struct KeyWorld {
    let folder: TemporaryFolder
    var file: URL { folder.url.appending(path: "hablare/credentials.json") }
    var store: FileCredentials { FileCredentials(file) }

    init() throws { folder = try TemporaryFolder(.disk) }

    /// Returns the command's program.
    static func program() throws -> URL {
        // The tests and the command are built into the same folder.
        URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .deletingLastPathComponent().appending(path: "hablare")
    }

    /// Starts the command.
    ///
    /// - Parameter session: Whether it gets a session of its own with its standard input as terminal, as by a login.
    func start(_ arguments: [String], input: FileHandle, session: Bool = false) throws -> Running {
        let running = Running()
        let program = try Self.program()
        running.process.executableURL = session ? URL(filePath: Self.sessions) : program
        running.process.arguments = (session ? ["--ctty", "--wait", program.path] : []) + ["keys"] + arguments
        // Under the thread sanitizer the command uses the same options as the tests.
        running.process.environment = ProcessInfo.processInfo.environment.filter { $0.key == "TSAN_OPTIONS" }
            .merging(["XDG_CONFIG_HOME": folder.url.path, "PATH": "/usr/bin:/bin"]) { $1 }
        running.process.standardInput = input
        running.process.standardOutput = running.output
        running.process.standardError = running.errors
        try running.process.run()
        return running
    }

    /// Starts the command with a text in a pipe as its standard input.
    func start(_ arguments: [String], input: String) throws -> Running {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try pipe.fileHandleForWriting.close()
        return try start(arguments, input: pipe.fileHandleForReading)
    }

    /// The program that starts a session, of util-linux.
    static let sessions = "/usr/bin/setsid"

    final class Running {
        let process = Process()
        fileprivate let output = Pipe()
        fileprivate let errors = Pipe()

        var id: pid_t { process.processIdentifier }

        /// Returns both outputs, which are short, and the exit status after the process has ended. Kills it if the test
        /// is cancelled.
        func end() async throws -> (output: String, errors: String, status: Int32) {
            do {
                while process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
            } catch {
                kill(id, SIGKILL)
                throw error
            }
            func all(_ pipe: Pipe) throws -> String {
                String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            }
            return (try all(output), try all(errors), process.terminationStatus)
        }
    }
}

/// A pseudo-terminal: the text that a user types, and the text that is shown.
final class TerminalDouble {
    private let person: Int32
    private let line: Int32
    /// The text shown so far.
    private(set) var shown = ""

    init() throws {
        var ends: (person: Int32, line: Int32) = (-1, -1)
        guard openpty(&ends.person, &ends.line, nil, nil, nil) == 0 else { throw POSIXError(.ENXIO) }
        (person, line) = (ends.person, ends.line)
        // Only the command gets the terminal.
        for end in [person, line] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(person)
        close(line)
    }

    /// The command's standard input.
    var input: FileHandle { FileHandle(fileDescriptor: line, closeOnDealloc: false) }

    /// Whether typed text is shown.
    var echoes: Bool {
        var attributes = termios()
        return tcgetattr(line, &attributes) == 0 && attributes.c_lflag & tcflag_t(ECHO) != 0
    }

    /// The terminal's settings, for comparisons.
    var settings: [UInt8] {
        var attributes = termios()
        guard tcgetattr(line, &attributes) == 0 else { return [] }
        return withUnsafeBytes(of: &attributes.c_cc) { Array($0) }
            + [attributes.c_lflag, attributes.c_iflag, attributes.c_oflag].flatMap { flags in
                withUnsafeBytes(of: flags) { Array($0) }
            }
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(person, bytes, bytes.count)
    }

    /// Waits until a text is shown.
    func waits(for text: String) async throws {
        while !look().contains(text) { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Returns the text shown so far.
    @discardableResult func look() -> String {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var state = pollfd(fd: person, events: Int16(POLLIN), revents: 0)
        while poll(&state, 1, 0) > 0, state.revents & Int16(POLLIN) != 0 {
            let count = read(person, &buffer, buffer.count)
            guard count > 0 else { break }
            shown += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return shown
    }

    /// Returns typed text that was not read, which a shell would read next.
    func leftOver() -> String {
        var attributes = termios()
        tcgetattr(line, &attributes)
        attributes.c_lflag &= ~tcflag_t(ICANON)
        tcsetattr(line, TCSANOW, &attributes)
        var state = pollfd(fd: line, events: Int16(POLLIN), revents: 0)
        var buffer = [UInt8](repeating: 0, count: 4_096)
        guard poll(&state, 1, 0) > 0 else { return "" }
        return String(decoding: buffer[..<max(0, read(line, &buffer, buffer.count))], as: UTF8.self)
    }
}
#endif
