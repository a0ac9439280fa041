import Foundation
import Hablare
import HablareSQLite
import HablareTestKit
import Testing

@testable import HablareCommand

/// Requests whose process ended in the middle of an attempt, before another process takes over.
@Suite(.timeLimit(.minutes(5))) struct InterruptedTests {
    private func stage() throws -> Stage {
        try Stage(provider: ScriptedProvider(id: "p", limits: ProviderLimits(breaker: .never)))
    }

    /// Returns a stage with a store in which a dead process left a running attempt.
    private func left(
        _ policy: StreamingPolicy? = nil, unknownOutcome: UnknownOutcomePolicy = .runAgain
    ) throws -> (stage: Stage, bench: StoreWorkbench, attempt: RunningAttempt) {
        let stage = try stage()
        // Its process has no lock, so it counts as dead like a killed one.
        let bench = StoreWorkbench(store: try stage.store())
        let owner = try bench.register()
        let request = AIRequest(
            id: StoreWorkbench.id(1), prompt: "left", unknownOutcome: unknownOutcome, streaming: policy)
        try bench.submit(try StoreWorkbench.submission(of: request))
        return (stage, bench, try bench.startNext(owner))
    }

    @Test func `A dead process's request is shown as interrupted with the command to continue`() async throws {
        let (stage, _, attempt) = try left()
        let id = attempt.request.uuidString.lowercased()
        #expect(await stage.run("ps") == .success)
        #expect(stage.output.contains(" interrupted "))
        #expect(!stage.output.contains("executing"))
        #expect(stage.errors.contains("1 request is interrupted, because its process ended."))
        #expect(stage.errors.contains("hablare work"))
        for (option, count) in [("interrupted", 1), ("executing", 0)] {
            stage.clearScreen()
            #expect(await stage.run("ps", "--json", "--state", option) == .success)
            let rows = try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [[String: Any]]
            #expect(rows?.count == count)
            #expect(rows?.allSatisfy { $0["state"] as? String == "interrupted" } == true)
        }
        stage.clearScreen()
        #expect(await stage.run("show", id) == .success)
        #expect(stage.output.contains("its process ended; to continue it: hablare work"))
        #expect(stage.output.contains("was with"))
        stage.clearScreen()
        #expect(await stage.run("logs", id) == .success)
        #expect(stage.output.contains("which ended"))
        #expect(await stage.run("work") == .success)
        stage.clearScreen()
        #expect(await stage.run("ps") == .success)
        #expect(stage.output.contains("completed") && stage.errors.isEmpty)
    }

    @Test func `A living process's request is not shown as interrupted`() async throws {
        let gate = Gate()
        let stage = try Stage(provider: Voice.provider { _ in try await gate.pass() })
        try stage.write("One.")
        async let narrated = stage.run("narrate", "book.txt", "--quiet")
        await gate.arrivals(reach: 1)
        let other = try Stage(folder: stage.folder)
        #expect(await other.run("ps") == .success)
        #expect(other.output.contains("executing") && !other.output.contains("interrupted"))
        #expect(other.errors.isEmpty)
        gate.open()
        #expect(await narrated == .success)
    }

    @Test func `An interrupted request that will be held is announced wherever held ones are listed`() async throws {
        let (stage, _, attempt) = try left(unknownOutcome: .hold)
        #expect(await stage.run("show", attempt.request.uuidString) == .success)
        #expect(stage.output.contains("the next process on this store holds it, such as hablare work"))
        for words in [["ps", "--state", "held"], ["retry", "--held"], ["cancel", "--held"], ["rm", "--held"]] {
            stage.clearScreen()
            #expect(await stage.run(words) == .success)
            #expect(stage.errors.contains("1 request is interrupted"), "\(words)")
        }
        #expect(await stage.run("work") == .incomplete)
        stage.clearScreen()
        #expect(await stage.run("retry", "--held") == .success)
        #expect(stage.output.hasPrefix("1 request waits again"))
    }

    @Test func `work counts requests that fail while it starts, with exit status 1`() async throws {
        let (stage, bench, attempt) = try left(StreamingPolicy())
        #expect(try bench.append(attempt, 0, ["half an answer"]) == .done)
        stage.clearScreen()
        #expect(await stage.run("show", attempt.request.uuidString) == .success)
        #expect(stage.output.contains("fails it if its answer had begun to stream"))
        stage.clearScreen()
        #expect(await stage.run("work") == .incomplete)
        #expect(stage.output == "0 requests completed, 1 failed (hablare ps --state failed)\n")
        #expect(!stage.errors.contains("segment"))
        // A request that failed before `work` started does not count.
        #expect(await stage.run("work") == .success)
    }

    @Test func `A reader of an abandoned stream is notified`() async throws {
        let (stage, bench, attempt) = try left(StreamingPolicy())
        #expect(try bench.append(attempt, 0, ["half an answer"]) == .done)
        let reader = try Stage(folder: stage.folder)
        async let read = reader.run("stream", attempt.request.uuidString)
        while !reader.errors.contains("The request is interrupted: its process ended") {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(await stage.run("work", "--quiet") == .incomplete)
        #expect(await read == .incomplete)
        #expect(reader.output == "half an answer")
        #expect(reader.errors.contains("To retry it: hablare retry "))
    }
}
