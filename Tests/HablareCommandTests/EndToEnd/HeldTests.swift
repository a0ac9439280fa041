import Foundation
import Hablare
import HablareSQLite
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

/// Requests whose last attempt has an unknown outcome and may have been billed.
@Suite(.timeLimit(.minutes(5))) struct HeldTests {
    /// Returns a voice that loses the connection on the second of three segments.
    private static func losing() -> ScriptedProvider {
        Voice.provider { call in
            if call.request.prompt.plainText == "Two." {
                throw AIServiceError(.connectionLost, "The connection was lost.")
            }
        }
    }

    /// Creates a book of three segments, the second of which is held.
    private func held() async throws -> (stage: Stage, id: UUID, job: String) {
        let stage = try Stage(provider: Self.losing())
        try stage.write("One. Two. Three.")
        #expect(await stage.run("narrate", "book.txt", "--if-interrupted", "hold") == .incomplete)
        let snapshot = try #require(try stage.store().snapshots(SnapshotFilter(isHeld: true)).first)
        return (stage, snapshot.id, try #require(snapshot.job).rawValue)
    }

    // MARK: narrate

    @Test func `A held segment ends the narration separately from failures, with advice`() async throws {
        let (stage, id, job) = try await held()
        #expect(stage.errors.contains("Of 3 segments, 1 is held, so there is no audio file yet; 2 are done and kept."))
        #expect(stage.errors.contains("segment 2 (\(id.text))"))
        #expect(!stage.errors.contains("Failed:"))
        #expect(
            stage.errors.contains(
                "  hablare retry --held --job \(job) && hablare narrate book.txt --if-interrupted hold"))
        #expect(try stage.folder.names() == ["book.txt", "data"])
    }

    @Test func `Running a narration again does not repeat a held segment`() async throws {
        let (stage, id, _) = try await held()
        let again = try Stage(folder: stage.folder)
        #expect(await again.run("narrate", "book.txt", "--json", "--data-dir", "my data") == .incomplete)
        #expect(again.provider.record.calls.isEmpty)
        #expect(again.errors.contains("1 is held"))
        #expect(again.errors.contains("--data-dir 'my data' && hablare narrate"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(again.output.utf8)) as? [String: Any])
        #expect(object["status"] as? String == "incomplete")
        #expect((object["failures"] as? [Any])?.isEmpty == true)
        let listed = try #require((object["held"] as? [[String: Any]])?.first)
        #expect(listed["segment"] as? Int == 1)
        #expect(listed["id"] as? String == id.text)
    }

    @Test func `After retry --held the segment runs and the narration finishes`() async throws {
        let (stage, id, job) = try await held()
        let working = try Stage(folder: stage.folder)
        #expect(await working.run("retry", "--held", "--job", job) == .success)
        #expect(working.output == "1 request waits again; it was held: it may be billed again\n")
        #expect(await working.run("narrate", "book.txt") == .success)
        #expect(working.provider.record.calls.map(\.request.id) == [id])
        #expect(try working.folder.names().contains("book.wav"))
    }

    @Test func `A retry during a narration takes effect`() async throws {
        let (stage, _, job) = try await held()
        #expect(
            await stage.run("rm", try #require(try stage.store().snapshots(SnapshotFilter()).last?.id).text) == .success
        )
        let gate = Gate()
        let running = try Stage(
            provider: Voice.provider { call in
                if call.request.prompt.plainText == "Three." { try await gate.pass() }
            }, folder: stage.folder)
        async let narrated = running.run("narrate", "book.txt")
        await gate.arrivals(reach: 1)
        #expect(await stage.run("retry", "--held", "--job", job) == .success)
        gate.open()
        #expect(await narrated == .success, "\(running.errors)")
    }

    @Test func `A segment held after another process's death ends the narration's wait`() async throws {
        let gate = Gate()
        let folder = try TemporaryFolder(.disk)
        let dying = try Stage(provider: Voice.provider { _ in try await gate.pass() }, folder: folder)
        try dying.write("One.")
        async let died = dying.run("narrate", "book.txt", "--if-interrupted", "hold")
        await gate.arrivals(reach: 1)
        let owner = try #require(try dying.store().owners().first?.id)
        let waiting = try Stage(folder: folder)
        async let waited = waiting.run("narrate", "book.txt")
        try await waitUntil { waiting.errors.contains("also works on this") || waiting.errors.contains("0 of 1") }
        // Like a third process that finds the first one dead.
        _ = try dying.store().commit([.retireOwner(owner, at: Date())])
        #expect(await waited == .incomplete)
        #expect(waiting.errors.contains("1 is held"))
        #expect(waiting.provider.record.calls.isEmpty)
        dying.send(.interrupt)
        dying.send(.interrupt)
        _ = await died
    }

    // MARK: work

    @Test func `work ends if only held requests are left, and reports their number`() async throws {
        let (stage, _, _) = try await held()
        stage.clearScreen()
        #expect(await stage.run("work") == .incomplete)
        #expect(stage.output == "0 requests completed\n")
        #expect(stage.errors.contains("1 request is held"))
        #expect(stage.errors.contains("hablare ps --state held"))
    }

    @Test func `work reports requests of a provider that is not registered here`() async throws {
        let stage = try Stage()
        let strange = ScriptedProvider(id: "strange")
        let manager = AIRequestManager(store: try stage.store(), providers: try ProviderRegistry([strange]))
        let id = try await manager.submit(AIRequest(prompt: "x"), to: "strange")
        #expect(await stage.run("work") == .success)
        #expect(stage.errors.contains("1 request waits for an unknown provider: strange.\n"))
        #expect(await stage.run("ps") == .success)
        #expect(stage.output.contains("no-provider"))
        #expect(await stage.run("show", id.text) == .success)
        #expect(stage.output.contains("provider strange is not available here"))
    }

    // MARK: ps, show, watch

    @Test func `ps lists held requests alone or with others`() async throws {
        let (stage, id, _) = try await held()
        stage.clearScreen()
        #expect(await stage.run("ps", "--state", "held") == .success)
        #expect(stage.output.split(separator: "\n").count == 2)
        #expect(stage.output.contains("\(id.text)  pending  held"))
        stage.clearScreen()
        #expect(await stage.run("ps", "--state", "held", "--state", "completed", "--limit", "2") == .success)
        #expect(stage.output.split(separator: "\n").count == 3)
        stage.clearScreen()
        #expect(await stage.run("ps", "--state", "held", "--state", "failed", "--json") == .success)
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [[String: Any]])
        #expect(rows.map { $0["waiting"] as? String } == ["held"])
        stage.clearScreen()
        #expect(await stage.run("ps", "--state", "pending") == .success)
        #expect(stage.output.contains(id.text))
    }

    @Test func `show reports a held request with its policy and advice`() async throws {
        let (stage, id, _) = try await held()
        stage.clearScreen()
        #expect(await stage.run("show", id.text, "--data-dir", "d") == .success)
        #expect(stage.output.contains("held: the outcome of its last attempt is unknown, and it may have been billed"))
        #expect(stage.output.contains("if interrupted  hold"))
        #expect(stage.output.contains("  hablare retry \(id.text) --data-dir d\n"))
        stage.clearScreen()
        #expect(await stage.run("show", id.text, "--json") == .success)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
        #expect(object["ifInterrupted"] as? String == "hold")
        #expect(object["waiting"] as? String == "held")
        #expect(object["until"] is NSNull)
        #expect(object["deadline"] is NSNull)
    }

    @Test func `watch and stream end at a held request`() async throws {
        let (stage, id, _) = try await held()
        #expect(await stage.run("watch", id.text) == .incomplete)
        #expect(stage.errors.contains("To retry it: hablare retry \(id.text) && hablare work"))
        stage.clearScreen()
        #expect(await stage.run("stream", id.text) == .incomplete)
        #expect(stage.errors.contains("The request is held. To retry it: hablare retry \(id.text) && hablare work"))
    }

    // MARK: retry, cancel, rm

    @Test func `retry of a held request warns about double billing`() async throws {
        let (stage, id, _) = try await held()
        stage.clearScreen()
        #expect(await stage.run("retry", id.text) == .success)
        #expect(stage.output == "\(id.text) waits again; it was held: it may be billed again\n")
        #expect(try stage.store().snapshot(of: id)?.waiting == .unclaimed(ahead: 0))
    }

    @Test func `Cancelling or removing a held request mentions the bill`() async throws {
        let (cancelled, first, _) = try await held()
        cancelled.clearScreen()
        #expect(await cancelled.run("cancel", first.text) == .success)
        #expect(cancelled.output.contains("it was held: its last attempt may have been billed"))
        #expect(try cancelled.store().snapshot(of: first)?.phase == .cancelled)
        let (removed, second, _) = try await held()
        removed.clearScreen()
        #expect(await removed.run("rm", second.text) == .success)
        #expect(removed.output.contains("it was held: its last attempt may have been billed"))
        #expect(try removed.store().snapshot(of: second) == nil)
    }

    @Test func `--held cancels or removes exactly the held requests`() async throws {
        let (cancelled, _, job) = try await held()
        cancelled.clearScreen()
        #expect(await cancelled.run("cancel", "--held", "--job", job) == .success)
        #expect(cancelled.output == "cancelled 1 request that was held\n")
        let (removed, _, _) = try await held()
        removed.clearScreen()
        #expect(await removed.run("rm", "--held") == .success)
        #expect(removed.output == "removed 1 request that was held\n")
        #expect(try removed.store().snapshots(SnapshotFilter()).count == 2)
    }

    @Test(arguments: [["retry", "--held"], ["retry", "--failed"], ["cancel"], ["rm"]])
    func `An unknown job is an error`(command: [String]) async throws {
        let (stage, _, _) = try await held()
        stage.clearScreen()
        #expect(await stage.run(command + ["--job", "nobody", "--data-dir", "d"]) == .inputMissing)
        #expect(
            stage.errors
                == "hablare: There is no job nobody in this store. To list the jobs: hablare ps --data-dir d\n")
        #expect(stage.output.isEmpty)
    }
}
