#if os(Linux)
import Foundation
import Testing

/// The reader's own test, in small: real processes, really killed. `make stream-test` is the same at length.
@Suite(.timeLimit(.minutes(5))) struct KilledStreamTests {
    /// A folder, with a space in its name, in which a program streams three lines, the last when a file `go` is there.
    private struct World {
        let folder: TemporaryFolder
        let url: URL

        init() throws {
            folder = try TemporaryFolder()
            url = folder.url.appending(path: "a folder", directoryHint: .isDirectory)
            let configuration = url.appending(path: "hablare", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: configuration, withIntermediateDirectories: true)
            let script =
                "echo one; sleep 0.05; echo two; while [ ! -e '\(url.path)/go' ]; do sleep 0.01; done; echo three"
            let programs = ["talker": ["executable": "/bin/sh", "arguments": ["-c", script], "answer": "text"] as Any]
            try JSONSerialization.data(withJSONObject: programs).write(
                to: configuration.appending(path: "programs.json"))
        }

        func go() throws { try Data().write(to: url.appending(path: "go")) }

        /// Starts the command as a process of its own.
        func start(_ arguments: [String]) throws -> Running {
            // The tests and the command are built into the same folder.
            let tests = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            let running = Running()
            running.process.executableURL = tests.deletingLastPathComponent().appending(path: "hablare")
            running.process.arguments = arguments + ["--data-dir", url.appending(path: "data").path]
            // Under the thread sanitizer the command is judged by the same options as the tests.
            running.process.environment = ProcessInfo.processInfo.environment.filter { $0.key == "TSAN_OPTIONS" }
                .merging(["XDG_CONFIG_HOME": url.path, "PATH": "/usr/bin:/bin"]) { $1 }
            running.process.standardOutput = running.output
            running.process.standardError = running.errors
            try running.process.run()
            return running
        }
    }

    /// A process of the command, and what it prints.
    private final class Running {
        let process = Process()
        let output = Pipe()
        let errors = Pipe()

        /// Reads standard output until a text was read, and answers with what was.
        func read(until end: String) throws -> String {
            var read = Data()
            while !String(decoding: read, as: UTF8.self).hasSuffix(end),
                let more = try output.fileHandleForReading.read(upToCount: 1)
            { read += more }
            return String(decoding: read, as: UTF8.self)
        }

        /// The rest of both outputs and the exit status, once it has ended.
        func end() throws -> (output: String, errors: String, status: Int32) {
            let said = try (output.fileHandleForReading.readToEnd(), errors.fileHandleForReading.readToEnd())
            process.waitUntilExit()
            return (
                String(decoding: said.0 ?? Data(), as: UTF8.self), String(decoding: said.1 ?? Data(), as: UTF8.self),
                process.terminationStatus
            )
        }
    }

    /// A request whose process was killed when it had printed two of three lines.
    private func killed(_ options: String...) throws -> (world: World, id: String) {
        let world = try World()
        let first = try world.start(["generate", "--provider", "talker", "--stream", "a killed stream"] + options)
        #expect(try first.read(until: "two\n") == "one\ntwo\n")
        kill(first.process.processIdentifier, SIGKILL)
        let words = try first.end().errors.split(separator: " ")
        let id = try #require(words.firstIndex(of: "stream").map { String(words[words.index(after: $0)]) })
        return (world, id)
    }

    @Test func `A killed stream that may begin anew is gone on with by another process, and its readers are told`()
        throws
    {
        let (world, id) = try killed("--restart")
        let reader = try world.start(["stream", id, "--from", "1"])
        #expect(try reader.read(until: "\n") == "two\n")
        let worker = try world.start(["work", "--quiet"])
        #expect(try reader.read(until: "two\n") == "one\ntwo\n")
        try world.go()
        let end = try reader.end()
        #expect(end.output == "three\n")
        #expect(end.errors == "The answer is begun anew:\n")
        #expect(end.status == 0)
        #expect(try worker.end().status == 0)
        #expect(try world.start(["stream", id]).end().output == "one\ntwo\nthree\n")
    }

    @Test func `A killed stream that may not begin anew fails, and what came stays readable`() throws {
        let (world, id) = try killed()
        try world.go()
        let reader = try world.start(["stream", id])
        #expect(try world.start(["work", "--quiet"]).end().status == 0)
        let end = try reader.end()
        #expect(end.output == "one\ntwo\n")
        #expect(end.errors.contains("[stream-interrupted]"))
        #expect(end.status == 1)
        #expect(try world.start(["stream", id, "--from", "1"]).end().output == "two\n")
    }

    @Test func `A program that falls silent is ended, and what it said stays readable`() throws {
        let world = try World()
        let silent = try world.start([
            "generate", "--provider", "talker", "--stream", "--timeout", "0.5", "a silent stream",
        ])
        let end = try silent.end()
        #expect(end.output == "one\ntwo\n")
        #expect(end.errors.contains("hablare: It failed after 2 chunks"))
        #expect(end.errors.contains("[timeout]"))
        #expect(end.status == 1)
    }
}
#endif
