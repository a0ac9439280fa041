#if os(Linux)
import Foundation
import HablareTestServers
import Testing

@testable import HablareCommand

/// A real process that is killed while the service works on its batch.
@Suite(.timeLimit(.minutes(10))) struct KilledBatchTests {
    /// Lasts three quarters of a minute: a batch gathers for 30 s, and is first looked at after 15 s.
    @Test func `The same command awaits the batch of a killed process, by its id`() async throws {
        let manner = FakeService.Manner()
        try await FakeService.run(manner) { fake in
            let world = try CommandWorld.talker()
            try world.configure(fake.settings)
            let variables = [
                "HABLARE_SERVICES_OPENAI_BATCHES": "true", "OPENAI_API_KEY": try #require(FakeService.keys["openai"]),
            ]
            let words = ["generate", "--provider", "openai", "--deadline", "24h", "Hello"]
            let first = try world.start(words, environment: variables)
            // The id of the batch is stored before the first look at it.
            while manner.batches.looks == 0 { try await Task.sleep(for: .milliseconds(100)) }
            kill(first.process.processIdentifier, SIGKILL)
            #expect(try await first.end().output.isEmpty)
            #expect(manner.batches.sizes == [1])
            manner.batches.end()
            let again = try await world.start(words, environment: variables).end()
            #expect(again.output == "batch Hello" && again.status == 0, "\(again.errors)")
            #expect(manner.batches.sizes == [1] && manner.batches.uploads == 1 && manner.batches.cancelled.isEmpty)
            #expect(!fake.paths.contains { $0.hasSuffix("/chat/completions") })
        }
    }
}
#endif
