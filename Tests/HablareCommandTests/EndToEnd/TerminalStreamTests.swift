import Foundation
import Hablare
import HablareSQLite
import HablareTestKit
import Testing

@testable import HablareCommand

/// The answers that `generate` prints as they arrive without being asked to.
@Suite(.timeLimit(.minutes(5))) struct TerminalStreamTests {
    private func talker(_ gate: Gate) -> ScriptedProvider {
        ScriptedProvider(id: "writer") { call in
            do {
                try await call.yield("Whales ")
                try await gate.pass()
                try await call.yield("sing.")
                return .success(ProviderAnswer(streamed: .text))
            } catch {
                return .failure(error as? AIServiceError ?? AIServiceError(.cancelled, "Stopped."))
            }
        }
    }

    private func streaming(_ stage: Stage) throws -> StreamingPolicy? {
        let store = try stage.store()
        let id = try #require(try store.lastID())
        return try #require(try store.request(of: id)).request.streaming
    }

    @Test func `On a terminal a text is printed as it arrives`() async throws {
        let gate = Gate()
        let stage = try Stage(provider: talker(gate), isTerminal: true)
        async let status = stage.run("generate", "--provider", "writer", "Whales?")
        try await waitUntil { stage.output == "Whales " }
        gate.open()
        #expect(await status == .success)
        #expect(stage.output.hasPrefix("Whales sing."))
        #expect(!stage.errors.contains("hablare stream"))
        // An interrupted answer begins again, as without streaming.
        #expect(try streaming(stage) == StreamingPolicy(durability: .durable, allowsRestart: true))
    }

    @Test(arguments: [
        (true, ["--no-stream"], false), (true, ["-o", "answer.txt"], false), (true, ["--json"], false),
        (true, ["--detach"], false), (false, [], false), (false, ["--stream"], true), (true, ["--stream"], true),
        (true, [], true),
    ])
    func `Only a text for a terminal is streamed by default`(
        isTerminal: Bool, words: [String], isStreamed: Bool
    ) async throws {
        let gate = Gate()
        gate.open()
        let stage = try Stage(provider: talker(gate), isTerminal: isTerminal)
        #expect(await stage.run(["generate", "--provider", "writer", "Whales?"] + words) == .success)
        #expect(try (streaming(stage) != nil) == isStreamed)
        if words == ["--stream"] { #expect(try streaming(stage)?.allowsRestart == false) }
    }

    @Test func `--restart needs --stream on a terminal, too`() async throws {
        let stage = try Stage(isTerminal: true)
        for words in [["--restart"], ["--no-stream", "--volatile"]] {
            #expect(await stage.run(["generate", "--provider", "espeak-ng", "Whales?"] + words) == .usage)
            #expect(stage.errors.contains("need --stream"))
        }
    }
}
