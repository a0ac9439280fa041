#if os(Linux)
import Foundation
import Glibc
import HablareTestFiles

/// A folder, with a space in its name, with a store and programs, for processes of the command.
struct CommandWorld {
    private let folder: TemporaryFolder
    let url: URL

    /// Creates a world with one shell program.
    ///
    /// - Parameter variables: The credentials that the program gets.
    init(_ program: String, variables: [String] = [], _ script: (_ folder: URL) -> String) throws {
        folder = try TemporaryFolder(.disk)
        url = folder.url.appending(path: "a folder", directoryHint: .isDirectory)
        let configuration = url.appending(path: "hablare", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: configuration, withIntermediateDirectories: true)
        let entry: [String: Any] = [
            "executable": "/bin/sh", "arguments": ["-c", script(url)], "answer": "text", "environment": variables,
        ]
        let programs = [program: entry]
        try JSONSerialization.data(withJSONObject: programs).write(to: configuration.appending(path: "programs.json"))
    }

    /// Creates a world with a program that streams three lines, the last one when a file `go` exists.
    static func talker() throws -> CommandWorld {
        try CommandWorld("talker") {
            "echo one; sleep 0.05; echo two; while [ ! -e '\($0.path)/go' ]; do sleep 0.01; done; echo three"
        }
    }

    /// Writes the settings file.
    func configure(_ settings: String) throws {
        try Data(settings.utf8).write(to: url.appending(path: "hablare/hablare.yaml"))
    }

    func go() throws { try Data().write(to: url.appending(path: "go")) }

    /// Starts the command as a process of its own.
    ///
    /// - Parameters:
    ///   - errorsAreFull: Whether the pipe of standard error is full.
    ///   - environment: Variables in addition to those for folders.
    ///   - shell: The shell command that starts it, as `$0` with the arguments `$@`, or `nil` without a shell.
    func start(
        _ arguments: [String], errorsAreFull: Bool = false, environment: [String: String] = [:],
        through shell: String? = nil
    ) throws -> Running {
        // The tests and the command are built into the same folder.
        let tests = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let running = Running()
        if errorsAreFull { try running.fillErrors() }
        let hablare = tests.deletingLastPathComponent().appending(path: "hablare")
        running.process.executableURL = shell == nil ? hablare : URL(filePath: "/bin/sh")
        let words = arguments + ["--data-dir", url.appending(path: "data").path]
        running.process.arguments = (shell.map { ["-c", $0, hablare.path] } ?? []) + words
        // Under the thread sanitizer the command uses the same options as the tests.
        running.process.environment = ProcessInfo.processInfo.environment.filter { $0.key == "TSAN_OPTIONS" }
            .merging(["XDG_CONFIG_HOME": url.path, "PATH": "/usr/bin:/bin"]) { $1 }
            .merging(environment) { $1 }
        // An inherited pipe might never end.
        running.process.standardInput = FileHandle.nullDevice
        running.process.standardOutput = running.output
        running.process.standardError = running.errors
        try running.process.run()
        return running
    }

    /// A process of the command and its output.
    final class Running {
        let process = Process()
        let output = Pipe()
        let errors = Pipe()

        /// Fills the pipe of standard error to its last byte.
        fileprivate func fillErrors() throws {
            let pipe = errors.fileHandleForWriting
            let flags = fcntl(pipe.fileDescriptor, F_GETFL)
            guard fcntl(pipe.fileDescriptor, F_SETFL, flags | O_NONBLOCK) == 0 else { throw POSIXError(.EIO) }
            for size in [4_096, 1] {
                let filler = [UInt8](repeating: UInt8(ascii: "."), count: size)
                while write(pipe.fileDescriptor, filler, size) == size {}
            }
            guard fcntl(pipe.fileDescriptor, F_SETFL, flags) == 0 else { throw POSIXError(.EIO) }
        }

        /// Reads standard output until a text appears, and returns what was read. Kills the process if the test is
        /// cancelled.
        func read(until end: String) async throws -> String {
            try await read(output, until: end)
        }

        /// Reads standard error until a text appears, and returns what was read.
        func readErrors(until end: String) async throws -> String {
            try await read(errors, until: end)
        }

        /// Polls for data instead of blocking in a system call, which a test's time limit would not end.
        private func read(_ pipe: Pipe, until end: String?) async throws -> String {
            let descriptor = pipe.fileHandleForReading.fileDescriptor
            var bytes = [UInt8](repeating: 0, count: end == nil ? 65_536 : 1)
            var all: [UInt8] = []
            while true {
                if let end, String(decoding: all, as: UTF8.self).hasSuffix(end) { break }
                var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                while poll(&state, 1, 0) == 0 { try await rest() }
                let count = Glibc.read(descriptor, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw POSIXError(.EIO) }
                if count == 0 { break }
                all += bytes.prefix(count)
            }
            return String(decoding: all, as: UTF8.self)
        }

        private func rest() async throws {
            do {
                try await Task.sleep(for: .milliseconds(5))
            } catch {
                kill(process.processIdentifier, SIGKILL)
                throw error
            }
        }

        /// The number of unread bytes in the pipe.
        var unread: Int {
            var count: Int32 = 0
            return ioctl(output.fileHandleForReading.fileDescriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
        }

        /// Waits for the process to end without reading its output. Kills it if the test is cancelled.
        func ends() async throws {
            while process.isRunning { try await rest() }
        }

        /// Returns the rest of both outputs and the exit status after the process has ended.
        func end() async throws -> (output: String, errors: String, status: Int32) {
            let (said, complained) = (try await read(output, until: nil), try await read(errors, until: nil))
            try await ends()
            return (said, complained, process.terminationStatus)
        }
    }
}
#endif
