#if os(Linux)
import Foundation
import Testing

/// A small version of `make stream-test` with real processes that are killed.
@Suite(.timeLimit(.minutes(5))) struct KilledStreamTests {
    /// Creates a request whose process was killed after it had printed two of three lines.
    private func killed(_ options: String...) async throws -> (world: CommandWorld, id: String) {
        let world = try CommandWorld.talker()
        let first = try world.start(["generate", "--provider", "talker", "--stream", "a killed stream"] + options)
        #expect(try await first.read(until: "two\n") == "one\ntwo\n")
        kill(first.process.processIdentifier, SIGKILL)
        let words = try await first.end().errors.split(separator: " ")
        let id = try #require(words.firstIndex(of: "stream").map { String(words[words.index(after: $0)]) })
        return (world, id)
    }

    @Test func `A killed stream that may restart is restarted by another process, and its readers are notified`()
        async throws
    {
        let (world, id) = try await killed("--restart")
        let reader = try world.start(["stream", id, "--from", "1"])
        #expect(try await reader.read(until: "\n") == "two\n")
        let worker = try world.start(["work", "--quiet"])
        #expect(try await reader.read(until: "two\n") == "one\ntwo\n")
        try world.go()
        let end = try await reader.end()
        #expect(end.output == "three\n")
        #expect(end.errors.hasPrefix("The request is interrupted: its process ended; to continue it: hablare work "))
        #expect(end.errors.contains("\nThe answer begins again:\n"))
        #expect(end.errors.contains(" To print the answer alone: hablare stream \(id) "))
        #expect(end.status == 2)
        #expect(try await worker.end().status == 0)
        #expect(try await world.start(["stream", id]).end().output == "one\ntwo\nthree\n")
    }

    @Test func `The same command again prints only the new answer`() async throws {
        let (world, _) = try await killed("--restart")
        try world.go()
        let again = try await world.start([
            "generate", "--provider", "talker", "--stream", "a killed stream", "--restart",
        ]).end()
        #expect(again.output == "one\ntwo\nthree\n")
        #expect(!again.errors.contains("begun anew"))
        #expect(again.status == 0)
    }

    @Test func `A killed stream that may not restart fails, and its chunks stay readable`() async throws {
        let (world, id) = try await killed()
        try world.go()
        let reader = try world.start(["stream", id])
        #expect(try await world.start(["work", "--quiet"]).end().status == 1)
        let end = try await reader.end()
        #expect(end.output == "one\ntwo\n")
        #expect(end.errors.contains("[stream-interrupted]"))
        #expect(end.status == 1)
        #expect(try await world.start(["stream", id, "--from", "1"]).end().output == "two\n")
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `A command that joined a call is notified when its process stops`(signal: Int32) async throws {
        let world = try CommandWorld.talker()
        let words = ["generate", "--provider", "talker", "--stream", "a joined stream"]
        let first = try world.start(words)
        #expect(try await first.read(until: "two\n") == "one\ntwo\n")
        let second = try world.start(words)
        #expect(try await second.read(until: "two\n") == "one\ntwo\n")
        kill(first.process.processIdentifier, signal)
        // The second signal ends the running call.
        if signal != SIGKILL {
            _ = try await first.readErrors(until: "Stop")
            kill(first.process.processIdentifier, signal)
        }
        let end = try await second.end()
        #expect(end.errors.contains("after 2 chunks: It had joined the call of another process, which"))
        #expect(end.errors.contains("To retry it: hablare retry "))
        #expect(end.status == 1)
        let told = try await first.end().errors
        #expect(!told.contains("another process"))
        let id = try #require(end.errors.split(separator: " ").first { $0.count == 36 }.map(String.init))
        try world.go()
        #expect(try await world.start(["retry", id]).end().status == 0)
        #expect(try await world.start(["work", "--quiet"]).end().status == 0)
        #expect(try await world.start(["stream", id]).end().output == "one\ntwo\nthree\n")
    }

    @Test func `A silent program is stopped, and its output stays readable`() async throws {
        let world = try CommandWorld.talker()
        let silent = try world.start([
            "generate", "--provider", "talker", "--stream", "--timeout", "0.5", "a silent stream",
        ])
        let end = try await silent.end()
        #expect(end.output == "one\ntwo\n")
        #expect(end.errors.contains("hablare: The request failed after 2 chunks"))
        #expect(end.errors.contains("[timeout]"))
        #expect(end.status == 1)
    }
}
#endif
