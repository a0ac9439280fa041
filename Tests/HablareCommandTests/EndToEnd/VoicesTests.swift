import Foundation
import Hablare
import HablareProviders
import HablareTestKit
import HablareTestServers
import Testing

@testable import HablareCommand

/// The voices of services and programs.
@Suite(.timeLimit(.minutes(5))) struct VoicesTests {
    private func rows(_ stage: Stage, _ words: String...) async throws -> [[String: Any]] {
        stage.clearScreen()
        #expect(await stage.run(["voices", "--json"] + words) == .success, "\(stage.errors)")
        return try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [[String: Any]])
    }

    @Test func `A service's voices are listed, filtered, and cached for a day`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let all = try await rows(stage, "--provider", "elevenlabs")
            #expect(all.map { $0["name"] as? String } == ["George - Warm", "Ana"])
            #expect(all[0]["quality"] as? String == "studio" && all[0]["language"] as? String == "en")
            #expect(try await rows(stage, "--provider", "elevenlabs", "--gender", "female").count == 1)
            #expect(try await rows(stage, "--provider", "elevenlabs", "--language", "en").count == 1)
            #expect(try await rows(stage, "--provider", "elevenlabs", "--quality", "Studio").count == 1)
            #expect(fake.paths.count == 1, "the list is kept")
            _ = try await rows(stage, "--provider", "elevenlabs", "--refresh")
            #expect(fake.paths.count == 2)
            stage.clearScreen()
            #expect(await stage.run("voices", "--provider", "elevenlabs", "--language", "fr") == .success)
            #expect(stage.output.isEmpty && stage.errors == "No voice matches.\n")
        }
    }

    @Test func `voices without a name lists exactly the usable providers`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let providers = try await rows(stage).compactMap { $0["provider"] as? String }
            #expect(Set(providers) == ["espeak-ng", "elevenlabs"])
            let without = try fake.stage(environment: ["ELEVENLABS_API_KEY": "", "OPENAI_API_KEY": ""])
            let calls = fake.server.calls.count
            #expect(try await rows(without).allSatisfy { $0["provider"] as? String == "espeak-ng" })
            #expect(fake.server.calls.count == calls)
        }
    }

    @Test func `A failing service is reported, and ends the command only if it was named`() async throws {
        var manner = FakeService.Manner()
        manner.instead = { $0.path.contains("elevenlabs") ? .text(401, "{}", type: "application/json") : nil }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            #expect(try await rows(stage).count == 2)
            #expect(stage.errors.contains("elevenlabs: ElevenLabs"), "\(stage.errors)")
            #expect(await stage.run("voices", "--provider", "elevenlabs") == .incomplete)
        }
    }

    @Test func `A provider without speech and one without a key are reported`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage(environment: ["ELEVENLABS_API_KEY": ""])
            #expect(await stage.run("voices", "--provider", "anthropic") == .success)
            #expect(stage.errors == "anthropic has no voices: it does not answer with audio.\n")
            #expect(await stage.run("voices", "--provider", "elevenlabs") == .unavailable)
            #expect(fake.server.connectionCount == 0)
        }
    }

    @Test func `Neural voices of programs are found by quality`() async throws {
        var program = InstalledProvider(provider: ScriptedProvider(id: "neural-one", responseType: .audio))
        program.voiceQuality = "neural"
        program.voices = { [CommandVoice(id: "heart", language: "en-us", gender: .female)] }
        let stage = try Stage(others: [program])
        let found = try await rows(stage, "--quality", "neural", "--gender", "female", "--language", "en")
        #expect(found.map { $0["voice"] as? String } == ["heart"])
        #expect(try await rows(stage, "--quality", "neural", "--language", "de").isEmpty)
    }
}
