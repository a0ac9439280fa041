import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite(.timeLimit(.minutes(5))) struct StreamCommandTests {
    /// A store with a stream of three chunks under way, as another process has it.
    private func underWay() throws -> (Stage, StoreWorkbench, RunningAttempt) {
        let stage = try Stage()
        let bench = StoreWorkbench(store: try stage.store())
        let attempt = try bench.startStream()
        for (number, word) in ["In ", "the ", "beginning"].enumerated() {
            #expect(try bench.append(attempt, number, [word]) == .done)
        }
        return (stage, bench, attempt)
    }

    private func complete(_ bench: StoreWorkbench, _ attempt: RunningAttempt, _ text: String) throws {
        var end = attempt.completed(.text(Body(text)))
        end.isStreaming = true
        #expect(try bench.write(.settle(end)) == .done)
    }

    @Test func `A stream is printed from its beginning or from a chunk on`() async throws {
        let (stage, bench, attempt) = try underWay()
        try complete(bench, attempt, "In the beginning")
        let id = attempt.request.uuidString.lowercased()
        #expect(await stage.run("stream", id) == .success)
        #expect(stage.output == "In the beginning")
        stage.clearScreen()
        #expect(await stage.run("stream", id, "--from", "2") == .success)
        #expect(stage.output == "beginning")
    }

    @Test func `A stream that another process makes is printed as it comes`() async throws {
        let (stage, bench, attempt) = try underWay()
        async let status = stage.run("stream", attempt.request.uuidString)
        while stage.output != "In the beginning" {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(try bench.append(attempt, 3, [" was"]) == .done)
        try complete(bench, attempt, "In the beginning was")
        #expect(await status == .success)
        #expect(stage.output == "In the beginning was")
    }

    @Test func `What a failed stream left is printed, and why it failed`() async throws {
        let (stage, bench, attempt) = try underWay()
        _ = try bench.write(.settle(attempt.failed(StoreWorkbench.failure)))
        #expect(await stage.run("stream", attempt.request.uuidString) == .incomplete)
        #expect(stage.output == "In the beginning")
        #expect(stage.errors.contains("failed after 3 chunks"))
    }

    @Test func `An answer in one piece is printed, too, and an unknown request is not`() async throws {
        let stage = try Stage()
        let bench = StoreWorkbench(store: try stage.store())
        let owner = try bench.register()
        try bench.submit(1)
        let attempt = try bench.finishNext(owner)
        #expect(await stage.run("stream", attempt.request.uuidString) == .success)
        #expect(stage.output == "answer")
        #expect(await stage.run("stream", UUID().uuidString) != .success)
        #expect(await stage.run("stream", attempt.request.uuidString, "--from", "-1") == .usage)
    }
}
