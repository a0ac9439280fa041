#if os(Linux)
import Foundation
import Testing

/// Real pipes whose readers are alive and do not read.
@Suite(.timeLimit(.minutes(5))) struct BlockedPipeTests {
    /// The capacity of a pipe on Linux.
    private static let pipe = 64 << 10

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func `One signal ends generate while its answer fills a pipe`(
        signal: Int32, status: Int32
    ) async throws {
        let world = try CommandWorld("big") { _ in "yes 'a line of a long answer' | head -c 300000" }
        let running = try world.start(["generate", "--provider", "big", "a long answer"])
        while running.unread < Self.pipe { try await Task.sleep(for: .milliseconds(10)) }
        kill(running.process.processIdentifier, signal)
        try await running.ends()
        #expect(running.process.terminationReason == .exit)
        #expect(running.process.terminationStatus == status)
        let words = try await running.end().errors
        #expect(words.contains("It is in the store: hablare stream "))
        let id = try #require(words.split(separator: " ").first { $0.count == 36 }.map(String.init))
        #expect(try await world.start(["stream", id]).end().output.utf8.count == 300_000)
    }

    @Test(arguments: ["stream", "show"])
    func `One signal ends other commands with much output`(command: String) async throws {
        let world = try CommandWorld("big") { _ in "yes 'a line of a long answer' | head -c 300000" }
        let id = try await world.start(["generate", "--provider", "big", "--detach", "--quiet", "a long answer"]).end()
            .output.trimmingCharacters(in: .newlines)
        #expect(try await world.start(["work", "--quiet"]).end().status == 0)
        let running = try world.start([command, id] + (command == "show" ? ["--output", "-"] : []))
        while running.unread < Self.pipe { try await Task.sleep(for: .milliseconds(10)) }
        kill(running.process.processIdentifier, SIGTERM)
        try await running.ends()
        if command == "stream" {
            #expect(running.process.terminationReason == .exit)
            #expect(running.process.terminationStatus == 143)
            #expect(try await running.end().errors.contains("To continue: hablare stream \(id) "))
        } else {
            // A shell shows 143 for it.
            #expect(running.process.terminationReason == .uncaughtSignal)
            #expect(running.process.terminationStatus == SIGTERM)
        }
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func `An unread log does not block work, and one signal ends it`(
        signal: Int32, status: Int32
    ) async throws {
        let world = try CommandWorld("slow") {
            "echo >> '\($0.path)/runs'; while [ ! -e '\($0.path)/go' ]; do sleep 0.01; done; echo done"
        }
        let log = world.url.appending(path: "runs")
        func runs(reach count: Int) async throws {
            while try !FileManager.default.fileExists(atPath: log.path) || Data(contentsOf: log).count < count {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        // The takeover of a killed process's work is the first thing that is logged.
        let first = try world.start(["generate", "--provider", "slow", "a request whose process is killed"])
        try await runs(reach: 1)
        kill(first.process.processIdentifier, SIGKILL)
        let working = try world.start(["work", "--verbose"], errorsAreFull: true)
        try await runs(reach: 2)
        kill(working.process.processIdentifier, signal)
        try world.go()
        try await working.ends()
        #expect(working.process.terminationReason == .exit)
        #expect(working.process.terminationStatus == status)
        let completed = try await world.start(["ps", "--state", "completed", "--json"]).end().output
        #expect(completed.contains("\"slow\""))
    }
}
#endif
