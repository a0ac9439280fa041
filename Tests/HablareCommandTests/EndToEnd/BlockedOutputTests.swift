import Foundation
import Hablare
import HablareSQLite
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

/// A reader of the output stops reading.
@Suite(.timeLimit(.minutes(5))) struct BlockedOutputTests {
    private func writer(
        _ script: @escaping @Sendable (ProviderCall) async throws -> ProviderAnswer
    ) -> ScriptedProvider {
        ScriptedProvider(id: "writer", limits: ProviderLimits(breaker: .never)) { call in
            do {
                return .success(try await script(call))
            } catch {
                return .failure(error as? AIServiceError ?? AIServiceError(.cancelled, "Stopped."))
            }
        }
    }

    private func phases(_ stage: Stage) throws -> [RequestPhase] {
        try stage.store().snapshots(SnapshotFilter()).map(\.phase)
    }

    @Test(arguments: [StopSignal.interrupt, .terminate])
    func `One signal ends a command whose output no one reads, with the command to get the answer`(
        signal: StopSignal
    ) async throws {
        let stage = try Stage(provider: writer { _ in ProviderAnswer(.text(Body("an answer"))) })
        stage.stopReading()
        defer { stage.goOnReading() }
        async let status = stage.run("generate", "--provider", "writer", "an answer that nobody reads")
        try await waitUntil { stage.isBlocked }
        stage.send(signal)
        #expect(await status == signal.status)
        let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id)
        #expect(
            stage.errors
                == "hablare: Only a part of the answer was printed. It is in the store: hablare stream \(id.text)\n")
        #expect(try phases(stage) == [.completed])
    }

    @Test func `One signal ends an unread stream after its grace`() async throws {
        let gate = Gate()
        let clock = ManualClock()
        let stage = try Stage(
            provider: writer { call in
                try await call.yield("one ")
                try await gate.pass()
                try await call.yield("two")
                return ProviderAnswer(streamed: .text)
            }, seams: .controlled(by: clock))
        stage.stopReading()
        defer { stage.goOnReading() }
        let isOver = Locked(false)
        async let status = {
            defer { isOver.withLock { $0 = true } }
            return await stage.run("generate", "--provider", "writer", "--stream", "a stream that nobody reads")
        }()
        try await waitUntil { stage.isBlocked }
        stage.send(.terminate)
        try await waitUntil { stage.errors.contains("Stopping.") }
        gate.open()
        try await waitUntil { try phases(stage) == [.completed] }
        #expect(stage.isBlocked)
        try await waitUntil {
            clock.advance(by: .milliseconds(500))
            return isOver.withLock { $0 }
        }
        #expect(await status == .terminated)
        #expect(stage.errors.contains("It is in the store: hablare stream "))
    }

    @Test func `One signal ends a command with unread JSON, with the command to get it`() async throws {
        let stage = try Stage(provider: writer { _ in ProviderAnswer(.text(Body("an answer"))) })
        stage.stopReading()
        defer { stage.goOnReading() }
        async let status = stage.run("generate", "--provider", "writer", "--json", "an object that nobody reads")
        try await waitUntil { stage.isBlocked }
        stage.send(.terminate)
        #expect(await status == .terminated)
        let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id)
        #expect(
            stage.errors
                == "hablare: Only a part of the object was printed. It is in the store: hablare show \(id.text) --json\n"
        )
    }

    @Test func `A store failure ends a command whose output no one reads`() async throws {
        let gate = Gate()
        let clock = ManualClock()
        let isFull = Locked(false)
        let stage = try Stage(
            provider: writer { call in
                try await call.yield("one ")
                try await gate.pass()
                return ProviderAnswer(streamed: .text)
            }, seams: .controlled(by: clock), wrapStore: { BrokenStore($0) { _ in isFull.withLock { $0 } } })
        stage.stopReading()
        defer { stage.goOnReading() }
        let isOver = Locked(false)
        async let status = {
            defer { isOver.withLock { $0 = true } }
            return await stage.run("generate", "--provider", "writer", "--stream", "nobody reads, the disk is full")
        }()
        try await waitUntil { stage.isBlocked }
        isFull.withLock { $0 = true }
        gate.open()
        try await waitUntil {
            clock.advance(by: .milliseconds(500))
            return isOver.withLock { $0 }
        }
        #expect(stage.isBlocked)
        #expect(await status == .inputOutput)
        #expect(stage.errors.contains("hablare: The disk is full."))
    }

    // MARK: Files

    /// Requests a file of an answer that arrives after Ctrl-C, and writes it from a slow disk.
    private func stopped(
        _ prompt: String, _ disk: SlowDisk, whileReading: (Stage, ManualClock) async throws -> Void
    ) async throws -> (stage: Stage, status: CommandStatus) {
        let gate = Gate()
        let clock = ManualClock()
        let stage = try Stage(
            provider: writer { _ in
                try await gate.pass()
                return ProviderAnswer(.text(Body("an answer")))
            }, seams: .controlled(by: clock), wrapStore: { SlowStore(base: $0, disk: disk) })
        async let status = stage.run("generate", "--provider", "writer", "-o", "answer.txt", prompt)
        try await soon { await gate.arrivals(reach: 1) }
        stage.send(.interrupt)
        try await waitUntil { stage.errors.contains("Stopping.") }
        gate.open()
        try await waitUntil { disk.reads.withLock { $0 } > 0 }
        try await whileReading(stage, clock)
        return (stage, await status)
    }

    @Test func `After Ctrl-C a finished answer is still written to its file from a slow disk`()
        async throws
    {
        let disk = SlowDisk()
        disk.reader.pause()
        defer { disk.reader.goOn() }
        let (stage, status) = try await stopped("a file from a slow disk", disk) { _, clock in
            for _ in 0..<1_000 {
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
            disk.reader.goOn()
        }
        #expect(status == .interrupted)
        #expect(try stage.file("answer.txt") == Data("an answer".utf8))
        #expect(!stage.errors.contains("It is in the store"))
    }

    @Test func `A second Ctrl-C stops writing a file, with the command to write it later`() async throws {
        let disk = SlowDisk()
        disk.isEndless.withLock { $0 = true }
        let (stage, status) = try await stopped("a file that is given up", disk) { stage, _ in
            stage.send(.interrupt)
        }
        #expect(status == .interrupted)
        #expect(try stage.folder.names() == ["data"])
        let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id)
        let file = stage.folder.url.appending(path: "answer.txt")
        let line = ShellWords.joined(["hablare", "show", id.text, "-o", file.path])
        #expect(stage.errors.hasSuffix("hablare: The answer was not written. It is in the store: \(line)\n"))
        disk.isEndless.withLock { $0 = false }
        #expect(await stage.run("show", id.text, "-o", "answer.txt") == .success)
        #expect(try stage.file("answer.txt") == Data("an answer".utf8))
    }

    // MARK: In time

    @Test func `A reader that resumes in time gets everything in order`() async throws {
        let gate = Gate()
        let stage = try Stage(
            provider: writer { call in
                try await call.yield("one ")
                try await gate.pass()
                try await call.yield("two ")
                try await call.yield("three")
                return ProviderAnswer(streamed: .text)
            }, seams: .controlled(by: ManualClock()))
        stage.stopReading()
        async let status = stage.run("generate", "--provider", "writer", "--stream", "a stream that is read late")
        try await waitUntil { stage.isBlocked }
        stage.send(.interrupt)
        try await waitUntil { stage.errors.contains("Stopping.") }
        gate.open()
        try await waitUntil { try phases(stage) == [.completed] }
        stage.goOnReading()
        #expect(await status == .interrupted)
        #expect(stage.output == "one two three")
    }

    @Test func `The final report of work does not block the exit`() async throws {
        let stage = try Stage(provider: writer { _ in ProviderAnswer(.text(Body("an answer"))) })
        #expect(await stage.run("generate", "--provider", "writer", "--detach", "for a silent end") == .success)
        stage.stopReading()
        defer { stage.goOnReading() }
        async let status = stage.run("work")
        try await waitUntil { stage.isBlocked }
        stage.send(.terminate)
        #expect(await status == .terminated)
        #expect(try phases(stage) == [.completed])
    }
}
