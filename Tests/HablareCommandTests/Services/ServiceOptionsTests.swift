import Testing

@testable import HablareCommand

/// The settings that `--provider`, `--model` and `--base-url` change for one run.
@Suite struct ServiceOptionsTests {
    private func options(provider: String? = nil, model: String? = nil, baseURL: String? = nil) -> ServiceOptions {
        var options = ServiceOptions()
        (options.provider, options.model, options.baseURL) = (provider, model, baseURL)
        return options
    }

    private func said(
        _ use: ProviderUse, _ options: ServiceOptions, over settings: Settings = Settings()
    ) throws -> [String: String] {
        let options = try options.settings(for: use, over: settings)
        return Dictionary(uniqueKeysWithValues: options.map { ($0.path.description, $0.texts?.first ?? "") })
    }

    @Test(arguments: [
        (ProviderUse.generate, "openai", "services.openai.model"), (.speak, "openai", "services.openai.speech_model"),
        (.narrate, "openai", "services.openai.speech_model"), (.image, "openai", "services.openai.image_model"),
        (.embed, "openai", "services.openai.embedding_model"),
        (.transcribe, "openai", "services.openai.transcription_model"),
        (.transcribe, "elevenlabs", "services.elevenlabs.transcription_model"),
        (.generate, "openai.structured", "services.openai.model"),
        (.generate, "openai.speech", "services.openai.speech_model"),
        (.generate, "anthropic", "services.anthropic.model"),
        (.speak, "elevenlabs", "services.elevenlabs.speech_model"),
        (.generate, "elevenlabs", "services.elevenlabs.speech_model"),
    ])
    func `--model sets the model for the wanted content type`(use: ProviderUse, provider: String, path: String) throws {
        let said = try said(use, options(provider: provider, model: "m"))
        #expect(said == ["default_provider.\(use.rawValue)": provider, path: "m"])
        // Each such setting is valid for the service.
        let options = options(provider: provider, model: "m")
        let desk = try SettingsDesk()
        _ = try desk.read(options: options.settings(for: use, over: Settings()))
    }

    @Test func `--base-url also applies to the default provider's service`() throws {
        var settings = Settings()
        settings.defaultProviders = [.generate: "openai"]
        let there = options(baseURL: "http://localhost:1/")
        #expect(try there.name(for: .generate, over: settings) == "openai@http://localhost:1")
        #expect(try said(.generate, there, over: settings).isEmpty, "it changes no setting")
        #expect(try options().name(for: .generate, over: settings) == nil)
        #expect(try said(.speak, options(), over: settings).isEmpty)
    }

    @Test func `--base-url applies to the run unless it is the configured address`() throws {
        var settings = Settings()
        func name(_ provider: String, _ address: String) throws -> String? {
            try options(provider: provider, baseURL: address).name(for: .speak, over: settings)
        }
        #expect(try name("openai.speech", "http://localhost:1/v1") == "openai.speech@http://localhost:1/v1")
        #expect(try name("openai@http://localhost:2", "http://localhost:1") == "openai@http://localhost:1")
        #expect(try name("openai", "https://API.openai.com:443/v1/") == "openai")
        settings.services[0].addressProblem = CommandFailure(.configuration, "It is none.")
        #expect(try name("openai", "https://api.openai.com/v1") == "openai@https://api.openai.com/v1")
    }

    @Test func `--model applies to the provider of a placed name`() throws {
        let said = try said(.speak, options(provider: "openai.image@http://localhost:1", model: "m"))
        #expect(said == ["default_provider.speak": "openai.image", "services.openai.image_model": "m"])
    }

    @Test func `An invalid --base-url ends the run at once, unlike one in a file`() throws {
        let desk = try SettingsDesk()
        let options = options(provider: "openai", baseURL: "localhost")
        let failure = #expect(throws: CommandFailure.self) {
            try options.name(for: .generate, over: Settings())
        }
        #expect(failure?.status == .usage)
        #expect(failure?.message.contains("--base-url is invalid: ") == true)
        try desk.write("services: {openai: {base_url: localhost}}")
        #expect(try desk.read().service("openai")?.addressProblem?.message.contains("Line 1, column 31") == true)
    }

    @Test(
        arguments: [
            (nil, "m", nil, "--model needs a service. Pass --provider"),
            (nil, nil, "http://x", "--base-url needs a service. Pass --provider"),
            ("espeak-ng", "m", nil, "espeak-ng is not one. Services are openai, anthropic, elevenlabs"),
            ("anthropic.speech", "m", nil, "Unknown provider 'anthropic.speech'."),
        ] as [(String?, String?, String?, String)])
    func `--model and --base-url without a service are errors`(
        provider: String?, model: String?, baseURL: String?, message: String
    ) throws {
        let failure = #expect(throws: CommandFailure.self) {
            let options = options(provider: provider, model: model, baseURL: baseURL)
            _ = try said(.generate, options)
            _ = try options.name(for: .generate, over: Settings())
        }
        #expect(failure?.message.contains(message) == true, "\(failure?.message ?? "")")
    }
}
