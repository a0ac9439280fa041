import Hablare
import HablareJSON
import HablareTestKit
import HablareTestServers
import Testing

@testable import HablareCommand

/// The provider of a command that names none.
@Suite(.timeLimit(.minutes(5))) struct ProviderChoiceTests {
    private static let noKeys = ["OPENAI_API_KEY": "", "ANTHROPIC_API_KEY": "", "ELEVENLABS_API_KEY": ""]

    /// Returns a stage whose only keys are those of the named services, and whose local server is disabled.
    private func stage(_ fake: FakeService, keys: [String]) throws -> Stage {
        var environment = Self.noKeys
        for name in keys { environment["\(name.uppercased())_API_KEY"] = FakeService.keys[name] }
        let stage = try fake.stage(environment: environment)
        let settings = fake.settings.replacing("local: {kind", with: "local: {enabled: false, kind")
        try stage.write(settings, to: ".config/hablare/hablare.yaml")
        return stage
    }

    @Test func `The only usable provider is chosen, none and several are refused with advice`() throws {
        #expect(try ProviderChoice.only(of: ["openai"], for: .generate) == "openai")
        let none = #expect(throws: CommandFailure.self) { try ProviderChoice.only(of: [], for: .image) }
        #expect(none?.status == .usage && none?.message.contains("set default_provider.image") == true)
        let several = #expect(throws: CommandFailure.self) {
            try ProviderChoice.only(of: ["anthropic", "openai"], for: .generate)
        }
        #expect(several?.status == .usage)
        #expect(
            several?.message == """
                No provider given, and several can be called: anthropic, openai. Pass --provider NAME, or set \
                default_provider.generate, such as default_provider: {generate: anthropic} in hablare.yaml.
                """)
    }

    @Test func `generate calls the only service with a key, and says so unless it is to be quiet`() async throws {
        try await FakeService.run { fake in
            let stage = try stage(fake, keys: ["anthropic"])
            #expect(await stage.run("generate", "Whales?") == .success)
            #expect(stage.output == "Whales sing.")
            #expect(stage.errors == "Using anthropic, the only provider that can be called.\n")
            stage.clearScreen()
            #expect(await stage.run("generate", "--quiet", "-m", "claude-y", "Whales?") == .success)
            #expect(stage.errors.isEmpty)
            #expect(fake.bodies.map { $0[member: "model"] } == ["claude-x", "claude-y"])
        }
    }

    @Test func `With several services a command refuses before any call`() async throws {
        try await FakeService.run { fake in
            let stage = try stage(fake, keys: ["anthropic", "openai"])
            #expect(await stage.run("generate", "Whales?") == .usage)
            #expect(stage.errors.contains("several can be called: openai, anthropic."), "\(stage.errors)")
            #expect(fake.server.connectionCount == 0)
            // Only one of them makes vectors.
            stage.clearScreen()
            #expect(await stage.run("embed", "Whales?") == .success)
            #expect(stage.errors.contains("Using openai, the only provider that can be called."))
        }
    }

    @Test func `Services without a key and presets that nobody configured are not chosen`() async throws {
        try await FakeService.run { fake in
            let stage = try stage(fake, keys: [])
            #expect(await stage.run("generate", "Whales?") == .usage)
            #expect(stage.errors.contains("No provider given, and none can be called."), "\(stage.errors)")
        }
    }

    @Test func `The only program of text is chosen for texts, and one that transcribes is not`() async throws {
        let writer = ScriptedProvider(id: "writer") { _ in .success(ProviderAnswer(.text(Body("Whales sing.")))) }
        let listener = InstalledProvider(provider: ScriptedProvider(id: "listener"), hears: true)
        let stage = try Stage(provider: writer, others: [listener])
        #expect(await stage.run("generate", "Whales?") == .success)
        #expect(stage.output == "Whales sing.")
        #expect(stage.errors == "Using writer, the only provider that can be called.\n")
    }
}
