import Foundation
import Hablare
import HablareSQLite
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

/// Automatic retries in the command.
@Suite(.timeLimit(.minutes(5))) struct RetryingTests {
    /// Returns a voice that is overloaded on its first calls for every segment.
    private static func overloaded(
        times: Int, after: Duration? = nil, _ code: AIServiceError.Code = .overloaded
    ) -> ScriptedProvider {
        Voice.provider { call in
            guard call.attempt > times else {
                throw AIServiceError(code, "It is busy.", disposition: .retry(after: after))
            }
        }
    }

    @Test func `narrate waits for segments in backoff`() async throws {
        let stage = try Stage(provider: Self.overloaded(times: 2))
        try stage.write("One. Two.")
        #expect(await stage.run("narrate", "book.txt") == .success, "\(stage.errors)")
        #expect(stage.provider.record.calls.count == 6)
        #expect(stage.output.contains("2 segments, "))
        #expect(!stage.errors.contains("failed"))
    }

    @Test func `--attempts sets the number of attempts`() async throws {
        let stage = try Stage(provider: Self.overloaded(times: 2))
        try stage.write("One.")
        #expect(await stage.run("narrate", "book.txt", "--attempts", "2") == .incomplete)
        #expect(stage.provider.record.calls.count == 2)
        #expect(stage.errors.contains("Of 1 segment, 1 failed"))
        #expect(await stage.run("retry", "--failed") == .success)
        #expect(await stage.run("work", "--attempts", "1") == .success)
        #expect(stage.provider.record.calls.count == 3)
    }

    @Test func `A timed-out attempt is retried, and the final error is the timeout`() async throws {
        let gate = Gate()
        let stage = try Stage(
            provider: ScriptedProvider(
                id: "espeak-ng", responseType: .audio,
                limits: ProviderLimits(concurrency: 2, attemptTimeout: .milliseconds(20))
            ) { call in
                do { try await gate.pass() } catch { return .failure(AIServiceError(.cancelled, "Stopped.")) }
                return Voice.answer(call)
            })
        try stage.write("One.")
        #expect(await stage.run("narrate", "book.txt", "--attempts", "2") == .incomplete)
        #expect(stage.provider.record.calls.count == 2)
        #expect(stage.errors.contains("[timeout]"))
        #expect(stage.errors.contains("--timeout SECONDS"))
        gate.open()
        #expect(await stage.run("narrate", "book.txt") == .success)
    }

    @Test func `Attempts, rate and policy reach the engine`() async throws {
        let stage = try Stage()
        try stage.write("One.")
        #expect(
            await stage.run("narrate", "book.txt", "--rate", "0.5", "--if-interrupted", "hold", "--attempts", "7")
                == .success)
        #expect(stage.limits?.rate == 0.5)
        let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id)
        #expect(try stage.store().request(of: id)?.request.unknownOutcome == .hold)
        #expect(await stage.run("work") == .success)
        #expect(stage.limits?.rate == nil)
    }

    @Test func `Many long attempts get enough time`() {
        #expect(EngineOptions.retry(attempts: 3, timeout: .seconds(120), of: []) == RetryPolicy())
        let patient = EngineOptions.retry(attempts: 5, timeout: .seconds(600), of: [])
        #expect(patient.maximumAttempts == 5)
        #expect(patient.maximumElapsed > .seconds(5 * 600))
    }

    @Test func `A hanging voice does not block later segments`() async throws {
        let stage = try Stage(provider: Self.overloaded(times: 9))
        try stage.write((1...12).map { "Sentence \($0)." }.joined(separator: " "))
        #expect(await stage.run("narrate", "book.txt") == .incomplete)
        #expect(stage.errors.contains("Of 12 segments, 12 failed"))
        #expect(stage.provider.record.calls.count == 36)
    }

    /// Creates a store with one request that backs off for five minutes, without a process.
    private func waiting() async throws -> (folder: TemporaryFolder, id: UUID, until: Date) {
        let stage = try Stage(provider: Self.overloaded(times: 9, after: .seconds(300), .providerFailed))
        try stage.write("One.")
        async let narrated = stage.run("narrate", "book.txt")
        while true {
            try Task.checkCancellation()
            let snapshots = try stage.store().snapshots(SnapshotFilter())
            if case .backingOff(let until) = snapshots.first?.waiting {
                try await waitUntil { stage.errors.contains("0 of 1") }
                stage.send(.interrupt)
                _ = await narrated
                return (stage.folder, try #require(snapshots.first?.id), until)
            }
            await Task.yield()
        }
    }

    @Test func `ps and show report the end of a backoff`() async throws {
        let (folder, id, until) = try await waiting()
        let now = until.addingTimeInterval(-90)
        let stage = try Stage(folder: folder, seams: EngineSeams(date: { now }))
        let clock = LocalTime(now: now, zone: .gmt).clock(until)
        #expect(await stage.run("ps") == .success)
        #expect(stage.output.contains("until \(clock)"))
        stage.clearScreen()
        #expect(await stage.run("show", id.text) == .success)
        #expect(stage.output.contains("until \(clock) (in 2 min)"), "\(stage.output)")
        stage.clearScreen()
        #expect(await stage.run("ps", "--json") == .success)
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [[String: Any]])
        #expect(rows.first?["until"] as? String == TimeText.stamp(until))
    }

    @Test func `generate reports the end of a wait once, unless --quiet is given`() async throws {
        for isQuiet in [false, true] {
            let stage = try Stage(provider: Self.overloaded(times: 9, after: .seconds(300), .providerFailed))
            let command = ["generate", "--provider", "espeak-ng", "One.", "-o", "one.wav"]
            async let status = stage.run(command + (isQuiet ? ["--quiet"] : []))
            try await waitUntil {
                try FileManager.default.fileExists(atPath: stage.data.path)
                    && stage.store().snapshots(SnapshotFilter()).first?.waiting?.until != nil
            }
            let words = "The request waits: its last attempt failed; backs off until "
            if !isQuiet { try await waitUntil { stage.errors.contains(words) } }
            stage.send(.interrupt)
            #expect(await status == .interrupted)
            #expect(
                stage.errors.split(separator: "\n").count { $0.hasPrefix("The request waits: ") } == (isQuiet ? 0 : 1))
        }
    }

    @Test func `A service's Retry-After is shown with its failure`() async throws {
        let stage = try Stage(provider: Self.overloaded(times: 9, after: .seconds(300), .rateLimited))
        let words = ["generate", "--provider", "espeak-ng", "One.", "-o", "one.wav", "--attempts", "1"]
        #expect(await stage.run(words) == .incomplete)
        #expect(stage.errors.contains("Wait 5 min before you retry. "), "\(stage.errors)")
        let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id.text)
        for words in [["logs", id], ["show", id]] {
            stage.clearScreen()
            #expect(await stage.run(words) == .success)
            #expect(stage.output.contains("Wait 5 min before you retry. [rate-limited]"), "\(stage.output)")
        }
    }

    @Test func `watch looks again when the wait is over`() async throws {
        let (folder, id, until) = try await waiting()
        let clock = ManualClock()
        let seams = EngineSeams(
            clock: EngineClock(clock),
            date: { until.addingTimeInterval(-60 + clock.now.offset / .seconds(1)) })
        let stage = try Stage(folder: folder, seams: seams)
        async let watched = stage.run("watch", id.text)
        await clock.sleepers(reach: 1)
        try await waitUntil { stage.output.contains("(in 1 min)") }
        clock.advance(by: .seconds(60))
        try await waitUntil { stage.output.contains("the next one is due") }
        #expect(stage.output.split(separator: "\n").count == 2)
        let other = try Stage(folder: folder)
        #expect(await other.run("cancel", id.text) == .success)
        #expect(await watched == .incomplete)
        #expect(stage.output.hasSuffix("cancelled\n"))
    }

    @Test func `retry ends a backoff at once`() async throws {
        let (folder, id, _) = try await waiting()
        let stage = try Stage(folder: folder)
        #expect(await stage.run("retry", id.text) == .success)
        #expect(stage.output == "\(id.text) waits again\n")
    }

    @Test func `Cancelled segments are listed separately from failed ones`() async throws {
        let gate = Gate()
        let stage = try Stage(
            provider: Voice.provider { call in
                if call.request.prompt.plainText == "One." { throw AIServiceError(.providerFailed, "It broke.") }
                try await gate.pass()
            })
        try stage.write("One. Two.")
        async let narrated = stage.run("narrate", "book.txt", "--json", "--data-dir", "d")
        await gate.arrivals(reach: 1)
        let other = try Stage(folder: stage.folder)
        let id = try #require(try other.store().snapshots(SnapshotFilter()).last?.id)
        #expect(await other.run("cancel", id.text) == .success)
        #expect(await narrated == .incomplete)
        #expect(stage.errors.contains("Of 2 segments, 1 failed, 1 was cancelled, so"))
        #expect(stage.errors.contains("Cancelled:\n  segment 2 (\(id.text))\n"))
        #expect(stage.errors.contains("It broke. [provider-failed]"))
        #expect(stage.errors.contains("To retry only what failed or was cancelled:"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
        #expect((object["failures"] as? [Any])?.count == 1)
        #expect((object["cancelled"] as? [[String: Any]])?.first?["id"] as? String == id.text)
        stage.clearScreen()
        #expect(await stage.run("retry", "--failed", "--data-dir", "d") == .success)
        #expect(stage.errors.contains("hablare work --data-dir d"))
    }
}
