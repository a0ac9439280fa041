import Foundation
import Hablare
import HablareProviders
import HablareSQLite
import HablareSupport
import HablareTestFiles
import HablareTestKit
import HablareTestServers
import Testing

@testable import HablareCommand

/// A service that refuses all requests of a job for the same reason: only a few are sent.
@Suite(.timeLimit(.minutes(5))) struct RefusedTests {
    private static let book = (1...50).map { "This is sentence number \($0)." }.joined(separator: "\n\n")
    private static let words = ["narrate", "book.txt", "--provider", "openai", "--concurrency", "2"]

    @Test func `A wrong key fails a few segments, the rest waits, and the right key resumes`() async throws {
        try await FakeService.run { fake in
            let folder = try TemporaryFolder(.disk)
            let wrong = try fake.stage(environment: ["OPENAI_API_KEY": "wrong-0123456789-wrong"], folder: folder)
            try wrong.write(Self.book)
            #expect(await wrong.run(Self.words + ["--json"]) == .incomplete)
            let calls = fake.paths.count
            #expect(calls >= 1 && calls <= 10, "\(calls) calls")
            let snapshots = try wrong.store().snapshots(SnapshotFilter())
            let failed = snapshots.count { $0.phase == .failed }
            #expect(snapshots.count == 50 && failed == calls)
            #expect(snapshots.allSatisfy { $0.phase == .failed || $0.phase == .pending && $0.waiting != .held })
            #expect(
                wrong.errors.contains(
                    "Of 50 segments, \(failed) failed, \(50 - failed) wait, so there is no audio file yet"))
            #expect(wrong.errors.contains("Fix the cause, then run:\n  hablare narrate book.txt "))
            #expect(wrong.errors.contains("does not accept the key") && !wrong.errors.contains("0123456789"))
            #expect(wrong.output.contains("\"status\" : \"incomplete\"") && wrong.output.contains("\"made\" : 0"))
            #expect(try wrong.store().owners().isEmpty)
            let right = try fake.stage(folder: folder)
            #expect(await right.run(Self.words) == .success)
            #expect(fake.paths.count == calls + 50)
        }
    }

    @Test(arguments: [false, true])
    func `A wrong key fails a few of several answers, the rest waits, and the right key resumes`(
        hasSchema: Bool
    ) async throws {
        var manner = FakeService.Manner()
        manner.values = [#"{"name":"Moby","tons":50}"#]
        try await FakeService.run(manner) { fake in
            let folder = try TemporaryFolder(.disk)
            let one = ["HABLARE_SERVICES_OPENAI_CONCURRENCY": "1"]
            let wrong = try fake.stage(
                environment: one.merging(["OPENAI_API_KEY": "wrong-0123456789-wrong"]) { $1 }, folder: folder)
            try wrong.write(#"{"type":"object"}"#, to: "schema.json")
            let words = ["generate", "--provider", "openai", "Whales?", "--sample", "100", "--json"]
            #expect(await wrong.run(words + (hasSchema ? ["--schema", "schema.json"] : [])) == .incomplete)
            let calls = fake.paths.count
            #expect(calls >= 1 && calls <= 5, "\(calls) calls")
            let snapshots = try wrong.store().snapshots(SnapshotFilter(limit: 1_000))
            let failed = snapshots.count { $0.phase == .failed }
            #expect(failed == calls && snapshots.count { $0.phase == .pending } == snapshots.count - failed)
            let job = try #require(snapshots.first?.job).rawValue
            let word = ShellWords.joined([job])
            let continuation = "hablare retry --failed --job \(word) && hablare work && hablare ps --job \(word)"
            #expect(wrong.errors.contains("because every other request would be refused, too"), "\(wrong.errors)")
            #expect(wrong.errors.contains("Fix the cause, then run:\n  \(continuation)\n"), "\(wrong.errors)")
            #expect(wrong.errors.contains("does not accept the key") && !wrong.errors.contains("0123456789"))
            let right = try fake.stage(environment: one, folder: folder)
            #expect(await right.run("retry", "--failed", "--job", job) == .success)
            #expect(await right.run("work") == .success)
            #expect(fake.paths.count == calls + snapshots.count)
        }
    }

    @Test func `Running calls finish after a refusal and are kept`() async throws {
        let gate = HablareTestServers.Gate()
        var manner = FakeService.Manner()
        manner.instead = { call in
            guard call.number == 0 else {
                return try .json(401, ["error": ["message": "no", "code": "invalid_api_key"]])
            }
            var reply = ServerReply.bytes(200, Voice.audio(of: "under way"), type: "audio/wav")
            reply.steps = [.wait(gate)] + reply.steps
            return reply
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            try stage.write(Self.book)
            let isOver = Locked(false)
            async let status = {
                defer { isOver.withLock { $0 = true } }
                return await stage.run(Self.words)
            }()
            try await waitUntil {
                try fake.paths.count > 1 && stage.store().snapshots(SnapshotFilter(phases: [.failed])).count > 0
            }
            #expect(!isOver.withLock { $0 })
            try await waitUntil { stage.errors.contains("in flight may finish; after Ctrl-C") }
            #expect(stage.errors.contains("No more calls are made: ") && stage.errors.contains("[unauthorized]"))
            gate.open()
            #expect(await status == .incomplete)
            #expect(stage.errors.contains("; 1 is done and kept."), "\(stage.errors)")
            #expect(try stage.store().snapshots(SnapshotFilter(phases: [.completed])).count == 1)
            #expect(fake.paths.count <= 10)
        }
    }

    @Test func `Ctrl-C works while running calls finish after a refusal`() async throws {
        let gate = HablareTestServers.Gate()
        var manner = FakeService.Manner()
        manner.instead = { call in
            guard call.number == 0 else { return .text(401, "no") }
            var reply = ServerReply.bytes(200, Voice.audio(of: "under way"), type: "audio/wav")
            reply.steps = [.wait(gate)] + reply.steps
            return reply
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            try stage.write(Self.book)
            async let status = stage.run(Self.words)
            try await waitUntil {
                try fake.paths.count > 1 && stage.store().snapshots(SnapshotFilter(phases: [.failed])).count > 0
            }
            stage.send(.interrupt)
            try await waitUntil { stage.errors.contains("Stopping.") }
            gate.open()
            #expect(await status == .interrupted)
            #expect(try stage.store().snapshots(SnapshotFilter(phases: [.completed])).count == 1)
        }
    }

    @Test func `A refusal of a single request does not stop the others`() async throws {
        var manner = FakeService.Manner()
        manner.instead = { $0.number < 3 ? .text(400, "{}", type: "application/json") : nil }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            try stage.write(Self.book)
            #expect(await stage.run(Self.words) == .incomplete)
            #expect(stage.errors.contains("Of 50 segments, 3 failed, so there is no audio file yet; 47 are done"))
            #expect(fake.paths.count == 50)
        }
    }
}
