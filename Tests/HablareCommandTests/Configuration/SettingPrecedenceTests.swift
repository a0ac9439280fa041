import Foundation
import Testing

@testable import HablareCommand

/// File, environment, option: each overrides the one before, for every setting.
@Suite struct SettingPrecedenceTests {
    private static let whatIsNeeded = "services:\n  extra:\n    kind: openai\n"

    private func read(
        _ yaml: String?, _ variables: [String: String] = [:], _ options: [Setting] = []
    ) throws -> Settings {
        var desk = try SettingsDesk()
        if let yaml { try desk.write(yaml) }
        desk.environment = variables
        var settings = try desk.read(options: options)
        settings.file = nil
        return settings
    }

    @Test(arguments: SettingSamples.all)
    func `An option overrides the environment, which overrides the file`(sample: SettingSamples) throws {
        let (first, second, third) = (sample.good[0], sample.good[1], sample.good[2])
        let isOfService = sample.path.service != nil
        let base = isOfService && sample.path.names.last != "kind" ? Self.whatIsNeeded : nil

        let byFile = try read(sample.yaml(first))
        let byVariable = try read(base, sample.variables(second))
        let byOption = try read(isOfService ? Self.whatIsNeeded : nil, [:], sample.options(third))
        #expect(byFile != byVariable, "the value is not used")
        #expect(byVariable != byOption, "the value is not used")

        #expect(try read(sample.yaml(first), sample.variables(second)) == byVariable)
        #expect(try read(sample.yaml(first), [:], sample.options(third)) == byOption)
        #expect(try read(sample.yaml(first), sample.variables(second), sample.options(third)) == byOption)
        // A place without the setting does not override another.
        #expect(try read(sample.yaml(second)) == byVariable)
        #expect(try read(sample.yaml(third)) == byOption)
    }

    @Test func `A setting without a value has its default`() throws {
        let settings = try read(nil)
        #expect(settings == Settings())
        #expect(settings.services.map(\.name).withoutPresets == ["openai", "anthropic", "elevenlabs"])
        #expect(settings.service("openai")?.address == "https://api.openai.com/v1")
        #expect(settings.network.connectTimeout == .seconds(10))
    }

    @Test func `A value can have a unit`() throws {
        let settings = try SettingsDesk.settings(
            """
            network: {connect_timeout: 1.5m, idle_timeout: 250ms}
            services:
              openai: {rate: 2/s, timeout: 1h}
              anthropic: {rate: 30/h, timeout: 2d}
            """)
        #expect(settings.network.connectTimeout == .seconds(90))
        #expect(settings.network.idleTimeout == .milliseconds(250))
        #expect(settings.service("openai")?.rate == 120)
        #expect(settings.service("anthropic")?.rate == 0.5)
        #expect(settings.service("openai")?.timeout == .seconds(3600))
        #expect(settings.service("anthropic")?.timeout == .seconds(172_800))
    }

    @Test func `Paths are relative to the file or the working folder, and may start with the home folder`()
        throws
    {
        var desk = try SettingsDesk()
        let file = try desk.write("data_dir: store\nnetwork: {certificate_file: ~/ca.pem}")
        let settings = try desk.read()
        #expect(settings.dataFolder?.path == file.deletingLastPathComponent().path + "/store")
        #expect(settings.network.certificateFile?.path == desk.folder.path + "/ca.pem")
        desk.environment = ["HABLARE_DATA_DIR": "store"]
        #expect(try desk.read().dataFolder?.path == desk.folder.path + "/store")
    }

    @Test func `YAML and JSON give equal settings`() throws {
        let yaml = """
            # Settings
            data_dir: /srv/hablare
            default_provider:
              generate: local
              speak: openai.speech
            network:
              no_proxy: [localhost, .example.com]
            services:
              local:
                kind: openai
                base_url: http://localhost:8080/v1
                needs_key: false
                concurrency: 2
                headers:
                  X-Title: Hablare
                fallback:
                  - openai
                  - anthropic
              anthropic: {enabled: false}
            """
        let json = """
            {"data_dir": "/srv/hablare", "default_provider": {"generate": "local", "speak": "openai.speech"},
            \t"network": {"no_proxy": ["localhost", ".example.com"]},
             "services": {"local": {"kind": "openai", "base_url": "http:\\/\\/localhost:8080\\/v1", "needs_key": false,
               "concurrency":2, "headers": {"x-title": "\\u0048ablare"}, "fallback": ["openai", "anthropic"]},
               "anthropic": {"enabled": false}}}
            """
        var (first, second) = (try SettingsDesk.settings(yaml), try SettingsDesk.settings(json, named: "hablare.json"))
        #expect(first.file?.lastPathComponent == "hablare.yaml" && second.file?.lastPathComponent == "hablare.json")
        (first.file, second.file) = (nil, nil)
        #expect(first == second)
        let local = try #require(first.service("local"))
        #expect(local.address == "http://localhost:8080/v1" && !local.needsKey && local.concurrency == 2)
        #expect(local.headers == ["x-title": "Hablare"] && local.fallback == ["openai", "anthropic"])
        #expect(first.service("anthropic")?.isEnabled == false)
        #expect(first.services.map(\.name).withoutPresets == ["openai", "anthropic", "elevenlabs", "local"])
        #expect(first.defaultProviders == [.generate: "local", .speak: "openai.speech"])
    }
}
