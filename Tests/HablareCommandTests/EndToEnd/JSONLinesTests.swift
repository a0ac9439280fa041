import Foundation
import Hablare
import HablareJSON
import HablareSQLite
import HablareSupport
import HablareTestKit
import HablareTestServers
import Testing

@testable import HablareCommand

/// `hablare generate --json --stream`: a JSON object on each line.
@Suite(.timeLimit(.minutes(5))) struct JSONLinesTests {
    private func lines(_ stage: Stage) throws -> [[String: Any]] {
        try stage.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
    }

    @Test func `Each piece is a line as it arrives, and the last line has the id, usage and reason`() async throws {
        let gate = HablareTestServers.Gate()
        var manner = FakeService.Manner()
        manner.gate = gate
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            async let status = stage.run("generate", "--provider", "openai", "--json", "--stream", "Whales?")
            try await waitUntil { stage.output == #"{"number":0,"text":"Whales ","type":"chunk"}"# + "\n" }
            gate.open()
            #expect(await status == .success, "\(stage.errors)")
            let lines = try lines(stage)
            #expect(lines.compactMap { $0["text"] as? String } == ["Whales ", "sing."])
            #expect(lines.map { $0["type"] as? String } == ["chunk", "chunk", "end"])
            let end = try #require(lines.last)
            let id = try stage.store().lastID()?.text
            #expect(end["id"] as? String == id)
            #expect(end["state"] as? String == "completed" && end["finishReason"] as? String == "stop")
            let usage = try #require(end["usage"] as? [String: Int])
            #expect(usage["inputTokens"] == 9 && usage["outputTokens"] == 4)
            #expect(end["costMicroDollars"] is NSNull)
        }
    }

    private func writer(
        _ body: @escaping @Sendable (ProviderCall) async throws -> Void
    ) -> ScriptedProvider {
        ScriptedProvider(id: "writer") { call in
            do {
                try await body(call)
                return .success(ProviderAnswer(streamed: .text))
            } catch {
                return .failure(error as? AIServiceError ?? AIServiceError(.cancelled, "Stopped."))
            }
        }
    }

    @Test func `A character in two pieces is printed with the second`() async throws {
        let stage = try Stage(
            provider: writer { call in
                try await call.yield(Data([0x61, 0xF0, 0x9F]))
                try await call.yield(Data([0x90]))
                try await call.yield(Data([0x8B, 0x0A]))
            })
        #expect(await stage.run("generate", "--provider", "writer", "--json", "--stream", "Whales?") == .success)
        let lines = try lines(stage)
        #expect(lines.compactMap { $0["text"] as? String } == ["a", "🐋\n"])
        #expect(lines.last?["type"] as? String == "end")
    }

    @Test func `A restart is a line of its own, and the status is success`() async throws {
        let calls = Locked(0)
        let stage = try Stage(
            provider: writer { call in
                let isFirst = calls.withLock { calls in
                    calls += 1
                    return calls == 1
                }
                try await call.yield("Whales ")
                if isFirst { throw AIServiceError(.overloaded, "Try again.") }
            }, seams: EngineSeams(jitter: { 0 }))
        let words = ["generate", "--provider", "writer", "--json", "--stream", "--restart", "Whales?"]
        #expect(await stage.run(words) == .success, "\(stage.errors)")
        #expect(try lines(stage).map { $0["type"] as? String } == ["chunk", "restart", "chunk", "end"])
    }

    @Test func `A failed request ends with its error`() async throws {
        let stage = try Stage(
            provider: writer { call in
                try await call.yield("Whales ")
                throw AIServiceError(.invalidRequest, "No.")
            })
        #expect(await stage.run("generate", "--provider", "writer", "--json", "--stream", "Whales?") == .incomplete)
        let end = try #require(try lines(stage).last)
        #expect(end["type"] as? String == "end" && end["state"] as? String == "failed" && end["error"] is [String: Any])
    }

    @Test func `Sound has no lines, and --no-stream prints one object`() async throws {
        let stage = try Stage()
        #expect(await stage.run("generate", "--provider", "espeak-ng", "--json", "--stream", "Whales?") == .usage)
        #expect(stage.errors.contains("--json with --stream needs text"), "\(stage.errors)")
        let text = try Stage(provider: writer { try await $0.yield("Whales") })
        #expect(await text.run("generate", "--provider", "writer", "--json", "--no-stream", "Whales?") == .success)
        #expect(text.output.hasPrefix("{\n"))
    }
}
