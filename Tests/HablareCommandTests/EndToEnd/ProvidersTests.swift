import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareCommand

/// `hablare providers`, and the effect of settings on other commands.
@Suite struct ProvidersTests {
    private struct Row: Decodable, Equatable {
        struct Key: Decodable, Equatable {
            let shown: String
            let from: String
        }

        let provider: String
        let type: String
        let answers: [String]
        let model: String?
        let address: String?
        let executable: String?
        let key: Key?
        let usable: Bool
        let problem: String?
    }

    /// Returns a composition in which openai has a key, and every offered provider is made.
    private func composition(_ desk: SettingsDesk, _ arguments: [String]) -> Composition {
        var composition = desk.composition(arguments)
        composition.lookUpKey = { service, _ in
            service == "openai" ? ServiceKey(shown: "sk-…c1f2", origin: "OPENAI_API_KEY") : nil
        }
        composition.serviceProviders = { entry, _, _, _ in
            entry.kind.offers.map { offer in
                InstalledProvider(
                    provider: ScriptedProvider(
                        id: ProviderID(rawValue: offer.id(of: entry.name)), responseType: offer.answers))
            }
        }
        return composition
    }

    private func rows(_ desk: SettingsDesk) async throws -> [String: Row] {
        desk.stage.clearScreen()
        #expect(await HablareCommand.execute(in: composition(desk, ["providers", "--json"])) == .success)
        let rows = try JSONDecoder().decode([Row].self, from: Data(desk.stage.output.utf8))
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.provider, $0) })
    }

    @Test func `All providers are listed, with the reason if one is not usable`() async throws {
        let desk = try SettingsDesk()
        try desk.write(
            """
            services:
              openai: {model: gpt-x, speech_model: tts-x}
              local: {kind: openai, base_url: "http://localhost:8080/v1", needs_key: false}
              broken: {kind: anthropic, base_url: localhost:8080}
              off: {kind: anthropic, enabled: false}
            """)
        let rows = try await rows(desk)
        let openai = try #require(rows["openai"])
        #expect(
            openai
                == Row(
                    provider: "openai", type: "service", answers: ["text"], model: "gpt-x",
                    address: "https://api.openai.com/v1", executable: nil,
                    key: .init(shown: "sk-…c1f2", from: "OPENAI_API_KEY"), usable: true, problem: nil))
        #expect(rows["openai.speech"]?.model == "tts-x")
        #expect(rows["openai.speech"]?.answers == ["audio"])
        #expect(rows["openai.embedding"]?.usable == true)
        #expect(rows["anthropic"]?.usable == false)
        #expect(rows["anthropic"]?.problem?.contains("hablare keys set anthropic") == true)
        #expect(rows["local"]?.usable == true && rows["local"]?.address == "http://localhost:8080/v1")
        #expect(rows["broken"]?.problem?.contains("hablare.yaml is invalid. Line 4, column") == true)
        #expect(rows["broken"]?.problem?.contains("has no scheme") == true)
        #expect(rows["broken"]?.address == nil)
        #expect(rows["off"]?.problem?.contains("is disabled") == true)
        let program = try #require(rows[desk.stage.provider.id.rawValue])
        #expect(program.type == "program" && program.usable && program.answers == ["audio"])
    }

    @Test func `The table shows a service that is not usable on one line`() async throws {
        let desk = try SettingsDesk()
        #expect(await HablareCommand.execute(in: composition(desk, ["providers"])) == .success)
        let lines = desk.stage.output.split(separator: "\n")
        #expect(lines[0].hasPrefix("PROVIDER"))
        #expect(lines.count { $0.hasPrefix("openai") } == 6)
        #expect(lines.filter { $0.hasPrefix("openai") }.allSatisfy { $0.hasSuffix("ready") })
        #expect(lines.count { $0.hasPrefix("anthropic") } == 1)
        #expect(lines.contains { $0.hasPrefix("anthropic") && $0.contains("text, structured") })
        #expect(desk.stage.errors.isEmpty)
    }

    @Test func `A provider with invalid settings is not shown as ready`() async throws {
        let desk = try SettingsDesk()
        var composition = composition(desk, ["providers"])
        composition.serviceProviders = { _, _, _, _ in throw AIServiceError(.invalidConfiguration, "The model is odd.")
        }
        #expect(await HablareCommand.execute(in: composition) == .success)
        #expect(desk.stage.output.contains("not usable: The model is odd."))
        #expect(!desk.stage.output.split(separator: "\n").contains { $0.hasPrefix("openai") && $0.hasSuffix("ready") })
    }

    @Test func `A missing program is shown with the reason`() async throws {
        let missing = AIServiceError(.programMissing, "writr was not found. Install it.")
        let writer = InstalledProvider(provider: ScriptedProvider(id: "writer"), health: { .init(problem: missing) })
        let stage = try Stage(others: [writer])
        #expect(await stage.run("providers") == .success)
        #expect(stage.output.contains("not usable: writr was not found. Install it."))
    }

    // MARK: Settings elsewhere

    @Test func `Invalid settings end every command with their position`() async throws {
        let desk = try SettingsDesk()
        try desk.write("netwrok: {}")
        for command in ["providers", "ps", "cost", "work", "voices", "prune"] {
            desk.stage.clearScreen()
            #expect(await desk.stage.run(command) == .configuration)
            #expect(desk.stage.errors.contains("hablare.yaml is invalid. Line 1, column 1: "), "\(command)")
        }
    }

    @Test func `doctor checks the settings`() async throws {
        let desk = try SettingsDesk()
        let file = try desk.write("services: {local: {kind: openai, base_url: localhost}}")
        #expect(await desk.stage.run("doctor") == .incomplete)
        #expect(desk.stage.output.contains("settings: \(file.path) is valid."))
        #expect(desk.stage.output.contains("problem  local: "))
        try desk.write("netwrok: {}")
        desk.stage.clearScreen()
        #expect(await desk.stage.run("doctor") == .configuration)
        #expect(desk.stage.output.contains("problem  settings: \(file.path) is invalid."))
        #expect(desk.stage.output.contains("2 voices"), "the rest is looked at")
        #expect(desk.stage.errors.isEmpty)
    }

    @Test func `The data folder is a setting`() async throws {
        var desk = try SettingsDesk()
        try desk.write("data_dir: /srv/file")
        #expect(try folder(desk, []) == "/srv/file")
        desk.environment["HABLARE_DATA_DIR"] = "/srv/variable"
        #expect(try folder(desk, []) == "/srv/variable")
        #expect(try folder(desk, ["--data-dir", "/srv/option"]) == "/srv/option")
        desk.environment = [:]
        try desk.stage.write("data_dir: /srv/named", to: "named.yaml")
        #expect(try folder(desk, ["--config", "named.yaml"]) == "/srv/named")
    }

    private func folder(_ desk: SettingsDesk, _ arguments: [String]) throws -> String {
        try Self.options(arguments).folder(in: desk.composition()).path
    }

    private static func options(_ words: [String]) -> DataOptions {
        var options = DataOptions()
        var configuration = ConfigurationOptions()
        let values = Dictionary(
            uniqueKeysWithValues: stride(from: 0, to: words.count, by: 2).map { (words[$0], words[$0 + 1]) })
        configuration.config = values["--config"]
        (options.dataDir, options.configuration, options.verbose) = (values["--data-dir"], configuration, false)
        return options
    }

    @Test func `Advised commands repeat the settings file`() throws {
        let data = Self.options(["--data-dir", "a b", "--config", "c.yaml"])
        #expect(data.commandLine("ps") == "hablare ps --data-dir 'a b' --config c.yaml")
    }
}
