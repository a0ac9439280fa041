import Foundation
import Hablare
import HablareSQLite
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite(.timeLimit(.minutes(5))) struct RequestCommandTests {
    private func narrated(_ provider: ScriptedProvider = Voice.provider()) async throws -> (Stage, [RequestSnapshot]) {
        let stage = try Stage(provider: provider)
        try stage.write("First secret. Second secret. Third secret.")
        _ = await stage.run("narrate", "book.txt", "--quiet")
        stage.clearScreen()
        return (stage, try stage.store().snapshots(SnapshotFilter()))
    }

    private func failing() async throws -> (Stage, [RequestSnapshot]) {
        try await narrated(Voice.provider { _ in throw AIServiceError(.providerFailed, "It broke.", cause: "exit 3") })
    }

    // MARK: ps

    @Test func `ps without a store reports that and creates nothing`() async throws {
        let stage = try Stage()
        #expect(await stage.run("ps") == .success)
        #expect(stage.errors.contains("There is no store in "))
        #expect(try stage.folder.names().isEmpty)
        #expect(await stage.run("ps", "--json") == .success)
        #expect(stage.output == "[]\n")
    }

    @Test func `The JSON of ps has exactly the documented fields`() async throws {
        let (stage, snapshots) = try await narrated()
        #expect(await stage.run("ps", "--json") == .success)
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [[String: Any]])
        #expect(rows.count == 3)
        for row in rows {
            #expect(
                row.keys.sorted() == [
                    "attempts", "createdAt", "deadline", "finishedAt", "id", "job", "provider", "state", "until",
                    "waiting",
                ])
            #expect(row["state"] as? String == "completed")
            #expect(row["waiting"] is NSNull)
        }
        #expect(rows.map { $0["id"] as? String } == snapshots.map { $0.id.uuidString.lowercased() })
    }

    @Test func `The table of ps is filtered and limited, with full ids`() async throws {
        let (stage, snapshots) = try await narrated()
        #expect(await stage.run("ps", "--state", "completed", "--limit", "2") == .success)
        let lines = stage.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.dropFirst().map { $0.prefix(36) } == snapshots[1...].map { $0.id.text[...] })
        #expect(stage.errors == "1 older request is not listed, because of --limit.\n")
        stage.clearScreen()
        #expect(await stage.run("ps", "--state", "failed", "--state", "cancelled") == .success)
        #expect(stage.output.isEmpty)
        #expect(await stage.run("ps", "--job", "other") == .inputMissing)
        #expect(stage.output.isEmpty)
        #expect(stage.errors.contains("There is no job other in this store. To list the jobs: hablare ps"))
    }

    @Test func `ps ends quietly if its reader closes the pipe`() async throws {
        let (stage, _) = try await narrated()
        stage.breakPipe()
        #expect(await stage.run("ps") == .brokenPipe)
        #expect(stage.errors.isEmpty)
    }

    // MARK: show, logs, watch

    @Test func `The prompt is shown only on request`() async throws {
        let (stage, snapshots) = try await narrated()
        let id = snapshots[1].id.uuidString
        #expect(await stage.run("show", id) == .success)
        #expect(await stage.run("show", id, "--json") == .success)
        #expect(await stage.run("logs", id) == .success)
        #expect(!(stage.output + stage.errors).contains("secret"))
        #expect(await stage.run("show", id, "--prompt") == .success)
        #expect(stage.output.contains("Second secret."))
    }

    @Test func `Content is written to a file or to standard output`() async throws {
        let (stage, snapshots) = try await narrated()
        let id = snapshots[0].id.uuidString
        #expect(await stage.run("show", id, "--output", "one.wav") == .success)
        #expect(try stage.file("one.wav") == Voice.audio(of: "First secret."))
        stage.clearScreen()
        #expect(await stage.run("show", id, "-o", "missing/one.wav") == .cannotCreate)
    }

    @Test func `logs lists the attempts with error and cause`() async throws {
        let (stage, snapshots) = try await failing()
        #expect(await stage.run("logs", snapshots[0].id.uuidString) == .success)
        #expect(stage.output.contains("It broke. [provider-failed] (exit 3)"))
        stage.clearScreen()
        #expect(await stage.run("logs", snapshots[0].id.uuidString, "--json") == .success)
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [[String: Any]])
        #expect(rows.first?["outcome"] as? String == "failed")
    }

    @Test func `watch of a final request ends at once with its exit status`() async throws {
        let (done, completed) = try await narrated()
        #expect(await done.run("watch", completed[0].id.uuidString) == .success)
        let (broken, failed) = try await failing()
        #expect(await broken.run("watch", failed[0].id.uuidString) == .incomplete)
        #expect(broken.output.contains("failed: It broke."))
    }

    @Test func `watch follows another process's progress`() async throws {
        let gate = Gate()
        let folder = try TemporaryFolder(.disk)
        let worker = try Stage(provider: Voice.provider { _ in try await gate.pass() }, folder: folder)
        try worker.write("One.")
        async let narrated = worker.run("narrate", "book.txt")
        await gate.arrivals(reach: 1)
        let id = try #require(try worker.store().snapshots(SnapshotFilter()).first?.id)
        let watcher = try Stage(folder: folder)
        async let watched = watcher.run("watch", id.uuidString)
        try await waitUntil { watcher.output.contains("executing") }
        gate.open()
        #expect(await watched == .success)
        #expect(await narrated == .success)
        #expect(watcher.output.contains("completed"))
    }

    // MARK: cancel, retry, rm, work

    @Test func `cancel stops a request that another process runs`() async throws {
        let gate = Gate()
        let folder = try TemporaryFolder(.disk)
        let worker = try Stage(provider: Voice.provider { _ in try await gate.pass() }, folder: folder)
        try worker.write("One. Two.")
        async let narrated = worker.run("narrate", "book.txt")
        await gate.arrivals(reach: 2)
        let other = try Stage(folder: folder)
        #expect(await other.run("cancel", "--all") == .success)
        #expect(other.output == "cancelled 2 requests\n")
        #expect(await narrated == .incomplete)
        #expect(worker.provider.record.cancellations == 2)
        #expect(worker.errors.contains("Of 2 segments, 2 were cancelled, so there is no audio file yet; 0 are done"))
    }

    @Test func `work creates no store and names the command that does`() async throws {
        let stage = try Stage()
        #expect(await stage.run("work", "--data-dir", "nothere") == .inputMissing)
        #expect(stage.errors.contains("There is no store in \(stage.folder.url.path)/nothere yet."))
        #expect(stage.errors.hasSuffix("hablare generate --provider NAME --detach PROMPT --data-dir nothere\n"))
        #expect(try stage.folder.names().isEmpty)
    }

    @Test(arguments: ["show", "watch", "stream", "logs", "cancel", "retry", "rm"])
    func `An unknown request is an error in every command`(command: String) async throws {
        let stage = try Stage()
        _ = try stage.store()
        let id = "01982f6e-6c4b-7d1e-9a3f-0123456789ab"
        #expect(await stage.run(command, id, "--data-dir", "data") == .inputMissing)
        #expect(
            stage.errors
                == "hablare: There is no request \(id) in this store. To list the ids: hablare ps --data-dir data\n")
    }

    @Test func `A completed request can be neither cancelled nor retried`() async throws {
        let (stage, snapshots) = try await narrated()
        let id = snapshots[0].id.uuidString
        #expect(await stage.run("cancel", id) == .incomplete)
        #expect(await stage.run("retry", id) == .incomplete)
        #expect(try stage.store().snapshot(of: snapshots[0].id)?.phase == .completed)
    }

    @Test func `A failed request waits again after retry, and work runs it`() async throws {
        let (broken, _) = try await failing()
        #expect(await broken.run("retry", "--failed") == .success)
        #expect(broken.output == "3 requests wait again\n")
        let working = try Stage(folder: broken.folder)
        #expect(await working.run("work") == .success)
        #expect(working.output == "3 requests completed\n")
        #expect(working.provider.record.calls.count == 3)
        working.clearScreen()
        #expect(await working.run("work", "--quiet") == .success)
        #expect(working.output.isEmpty)
    }

    @Test func `work leaves requests without a provider and reports failures`() async throws {
        let (stage, _) = try await failing()
        let strange = ScriptedProvider(id: "strange")
        let manager = AIRequestManager(store: try stage.store(), providers: try ProviderRegistry([strange]))
        let id = try await manager.submit(AIRequest(prompt: "x"), to: "strange")
        #expect(await stage.run("retry", "--failed") == .success)
        #expect(await stage.run("work") == .incomplete)
        #expect(stage.output.contains("0 requests completed, 3 failed"))
        #expect(try stage.store().snapshot(of: id)?.phase == .pending)
    }

    @Test func `work --forever ends at a signal`() async throws {
        let gate = Gate()
        let stage = try Stage(provider: Voice.provider { _ in try await gate.pass() })
        // Like a service that is running before the first request.
        async let ended = stage.run("work", "--forever")
        let manager = AIRequestManager(store: try stage.store(), providers: try ProviderRegistry([stage.provider]))
        try await manager.submit(AIRequest(prompt: "x"), to: "espeak-ng")
        await gate.arrivals(reach: 1)
        stage.send(.interrupt)
        gate.open()
        #expect(await ended == .interrupted)
    }

    @Test func `Removing a job erases all of it`() async throws {
        let (stage, snapshots) = try await narrated()
        let job = try #require(snapshots[0].job)
        #expect(await stage.run("rm", "--job", job.rawValue) == .success)
        #expect(stage.output == "removed 3 requests\n")
        #expect(try stage.store().snapshots(SnapshotFilter()).isEmpty)
    }
}
