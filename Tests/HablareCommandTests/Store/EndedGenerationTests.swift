import Foundation
import Hablare
import HablareSQLite
import HablareTestKit
import Testing

@testable import HablareCommand

/// The chunks of a stream that an ended attempt left.
@Suite(.timeLimit(.minutes(5))) struct EndedGenerationTests {
    @Test func `A dead process's chunks are recognised while the flight waits and after a restart`()
        throws
    {
        let stage = try Stage()
        let bench = StoreWorkbench(store: try stage.store())
        // Its process has no lock, so it counts as dead like a killed one.
        let owner = try bench.register()
        let request = AIRequest(
            id: StoreWorkbench.id(1), prompt: "left", streaming: StreamingPolicy(allowsRestart: true))
        try bench.submit(try StoreWorkbench.submission(of: request))
        let attempt = try bench.startNext(owner)
        func ended() throws -> Int? { try stage.composition().endedGeneration(of: request.id, in: bench.store) }

        #expect(try ended() == nil)
        #expect(try bench.append(attempt, 0, ["half an answer"]) == .done)
        #expect(try ended() == 1)
        #expect(
            try bench.write(.retireOwner(owner, at: StoreWorkbench.date(40))) == .broken(flights: 1))
        #expect(try bench.store.snapshot(of: request.id)?.phase == .pending)
        #expect(try ended() == 1)
        let second = try bench.startNext(try bench.register())
        #expect(try ended() == 1)
        #expect(try bench.append(second, 0, ["an answer"]) == .done)
        #expect(try ended() == 2)
        var end = second.completed(.text(Body("an answer")))
        end.isStreaming = true
        #expect(try bench.write(.settle(end)) == .done)
        #expect(try ended() == nil)
    }

    @Test func `A command that joins a running call gets the whole answer`() async throws {
        let gate = Gate()
        let provider = ScriptedProvider(id: "writer", limits: ProviderLimits(breaker: .never)) { call in
            do {
                try await call.yield("one ")
                try await gate.pass()
                try await call.yield("two")
                return .success(ProviderAnswer(streamed: .text))
            } catch {
                return .failure(AIServiceError(.cancelled, "Stopped."))
            }
        }
        let first = try Stage(provider: provider)
        let words = ["generate", "--provider", "writer", "--stream", "--restart", "one call for two"]
        async let one = first.run(words)
        try await waitUntil { first.output == "one " }
        let second = try Stage(provider: provider, folder: first.folder)
        async let two = second.run(words)
        try await waitUntil { second.output == "one " }
        gate.open()
        #expect(await [one, two] == [.success, .success])
        #expect(second.output == "one two")
        #expect(provider.record.calls.count == 1)
    }
}
