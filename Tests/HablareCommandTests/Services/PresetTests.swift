import Foundation
import Hablare
import HablareProviders
import HablareSQLite
import HablareTestServers
import Testing

@testable import HablareCommand

/// Presets, quirks and secret headers in the settings.
@Suite struct PresetTests {
    private func service(_ text: String, _ name: String) throws -> ServiceSettings {
        try #require(try SettingsDesk.settings("services:\n\(text)\n").service(name))
    }

    @Test func `Each preset is a service without any settings`() throws {
        let settings = try SettingsDesk.settings("")
        for preset in OpenAIPreset.all {
            let service = try #require(settings.service(preset.id))
            #expect(service.kind == .openai && service.preset == preset && service.address == preset.address)
            #expect(service.needsKey == preset.needsKey && service.compatibility == preset.compatibility)
            #expect((service.addressProblem != nil) == preset.needsAddress)
            #expect(Set(service.offers.map(\.api)) == preset.offers)
        }
    }

    @Test func `A service of another name has the preset that it names, and the file overrides it`() throws {
        let work = try service("  groq-work: {preset: groq, model: m}", "groq-work")
        #expect(work.address == "https://api.groq.com/openai/v1" && work.kind == .openai && work.models["model"] == "m")
        #expect(work.compatibility?.tokenLimit == .maxCompletionTokens)
        let text = """
              groq:
                base_url: http://localhost:1/v1
                needs_key: false
                quirks: {token_limit: max_tokens, stream_usage: false, structured: none, tools: false, system_role: user, seed: random_seed, base64_vectors: true, return_reasoning: true, fit_schemas: true, texts_per_call: 7}
            """
        let changed = try service(text, "groq")
        #expect(changed.address == "http://localhost:1/v1" && !changed.needsKey)
        var quirks = OpenAICompatibility.others
        quirks.streamsUsage = false
        quirks.encodesVectors = true
        quirks.structure = .none
        quirks.takesTools = false
        quirks.systemRole = .user
        quirks.seedName = .randomSeed
        quirks.returnsReasoning = true
        quirks.fitsSchemas = true
        quirks.textsPerCall = 7
        #expect(changed.compatibility == quirks)
    }

    @Test func `Quirks of a server without a preset change those of its address`() throws {
        let text = "  local: {kind: openai, base_url: \"http://localhost:1/v1\", quirks: {structured: json_object}}"
        var quirks = OpenAICompatibility.others
        quirks.structure = .object
        #expect(try service(text, "local").compatibility == quirks)
        #expect(try service("  local: {kind: openai}", "local").compatibility == nil)
    }

    @Test func `The address of one's own resource is asked for`() throws {
        let text = "  azure: {base_url: \"https://mine.openai.azure.com/openai/v1\"}"
        #expect(try service(text, "azure").addressProblem == nil)
        let missing = try service("  azure: {model: d}", "azure").addressProblem
        #expect(missing?.message.contains("services.azure.base_url to https://YOUR-RESOURCE.openai.azure.com") == true)
    }

    @Test(
        arguments: [
            ("  work: {preset: grok}", "Did you mean groq?"), ("  work: {preset: olama}", "Did you mean ollama?"),
            ("  work: {preset: nothing-like-it}", "must be one of openrouter, groq"),
            ("  olama: {model: m}", "Did you mean ollama?"),
            ("  openai: {preset: groq}", "with a name of their own"),
            ("  a: {kind: anthropic, quirks: {tools: false}}", "services.a.quirks has no effect"),
            ("  a: {kind: anthropic, preset: groq}", "with a name of their own"),
            ("  a: {kind: openai, quirks: {token_limit: tokens}}", "must be one of max_completion_tokens, max_tokens"),
            ("  a: {kind: openai, quirks: {tols: true}}", "Did you mean tools?"),
            ("  a: {kind: openai, secret_headers: {authorization: x}}", "is the header of the service's own key"),
            ("  a: {kind: openai, secret_headers: {x-key: sk-0123456789abcdef0123}}", "Keys do not belong in the"),
            ("  a: {kind: openai, secret_headers: {x-key: \"Not A Name\"}}", "the name of a stored key"),
        ])
    func `A mistake is refused with advice`(text: String, advice: String) throws {
        let failure = try SettingsDesk.failure("services:\n\(text)\n")
        #expect(failure.message.contains(advice), "\(failure.message)")
        #expect(!failure.message.contains("0123456789"))
    }

    @Test func `A secret header is sent to its service, and its key is stored apart`() async throws {
        try await FakeService.run { fake in
            let more = """
                  gate: {preset: ollama, base_url: "\(fake.address("local"))", model: m, secret_headers: {X-Gateway-Key: my-gateway}}

                """
            let stage = try fake.stage(more, environment: ["HABLARE_MY_GATEWAY_KEY": "gateway-0123456789"])
            #expect(await stage.run("generate", "--provider", "gate", "Hello.") == .success, "\(stage.errors)")
            let call = try #require(fake.server.calls.first?.call)
            #expect(call.field("x-gateway-key") == "gateway-0123456789")
            #expect(call.field("authorization") == nil)
            let without = try fake.stage(more)
            #expect(await without.run("generate", "--provider", "gate", "Hello.") == .unavailable)
            #expect(without.errors.contains("hablare keys set my-gateway"), "\(without.errors)")
        }
    }

    @Test func `A preset offers transcripts only where its service has that API`() throws {
        let services = try SettingsDesk.settings("").services
        func hears(_ name: String) -> Bool {
            services.first { $0.name == name }?.offers.contains(where: \.hears) == true
        }
        #expect(["openai", "groq", "vllm"].allSatisfy(hears))
        #expect(!["deepseek", "openrouter", "xai", "gemini", "llama-cpp"].contains(where: hears))
    }

    @Test func `The list of providers has the presets, each in one row while it cannot be asked`() async throws {
        let stage = try Stage()
        #expect(await stage.run("providers") == .success)
        for preset in OpenAIPreset.all {
            let rows = stage.output.split(separator: "\n").filter { $0.hasPrefix("\(preset.id) ") }
            #expect(rows.count == 1, "\(preset.id): \(rows)")
        }
    }

    @Test func `The documentation has each preset with its address and key`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        let document = try String(contentsOf: root.appending(path: "docs/configuration.md"), encoding: .utf8)
        for preset in OpenAIPreset.all {
            let row =
                "| \(preset.id) | \(preset.title) | \(preset.address) | \(preset.variables.joined(separator: ", ")) |"
            #expect(document.contains(row), "\(row)")
        }
    }

    @Test func `The service's own message is shown with verbose and in the logs, without prompt and key`() async throws
    {
        var manner = FakeService.Manner()
        manner.instead = { call in
            let key = call.field("authorization") ?? ""
            let said = "Gorgonzola is no valid value for temperature (\(key))"
            return .text(400, #"{"error":{"message":"\#(said)","code":"invalid_value"}}"#, type: "application/json")
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            let words = ["generate", "--provider", "openai", "Describe Gorgonzola."]
            #expect(await stage.run(words + ["--verbose"]) == .usage || !stage.errors.isEmpty)
            let shown = "[prompt] is no valid value for temperature (Bearer [key])"
            #expect(stage.errors.contains(shown), "\(stage.errors)")
            let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id)
            #expect(await stage.run("logs", id.uuidString.lowercased()) == .success)
            #expect(stage.output.contains(shown), "\(stage.output)")
            for text in [stage.errors, stage.output] {
                #expect(!text.contains("Gorgonzola") && !text.contains("0123456789abcdef"), "\(text)")
            }
        }
    }

    @Test(
        arguments: [
            ["generate", "--provider", "openai", "Gorgonzola"],
            ["generate", "--provider", "openai", "--tool", "./weather", "--yes", "Gorgonzola"],
            ["speak", "--provider", "openai", "Gorgonzola", "-o", "a.wav"],
            ["image", "--provider", "openai", "Gorgonzola", "-o", "a.png"],
            ["embed", "--provider", "openai", "-f", "texts.txt"], ["work"],
        ])
    func `Each command shows the service's own message, without the prompt`(words: [String]) async throws {
        var manner = FakeService.Manner()
        manner.instead = { _ in
            let said = "Gorgonzola is no valid value for temperature " + String(repeating: "é", count: 190)
            return .text(400, #"{"error":{"message":"\#(said)","code":"invalid_value"}}"#, type: "application/json")
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage(environment: ["PATH": "/usr/bin:/bin"])
            let tool = try stage.write(
                "#!/bin/sh\necho '{\"name\":\"weather\",\"parameters\":{\"type\":\"object\"},\"ifInterrupted\":\"run-again\"}'\n",
                to: "weather")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool.path)
            try stage.write("Gorgonzola\n", to: "texts.txt")
            if words == ["work"] {
                #expect(
                    await stage.run("generate", "--provider", "openai", "--detach", "Gorgonzola") == .success)
            }
            _ = await stage.run(words)
            let shown = "invalid_value: [prompt] is no valid value for temperature "
            #expect(stage.errors.contains(shown + String(repeating: "é", count: 190)), "\(stage.errors)")
            #expect(!stage.errors.contains("Gorgonzola is"), "\(stage.errors)")
        }
    }
}
