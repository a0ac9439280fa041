import Foundation
import Hablare
import HablareProviders
import HablareTestServers
import Testing

@testable import HablareCommand

/// The providers made of a service's settings.
@Suite struct ServiceProvidersTests {
    private func made(
        _ settings: String, limits: Composition.CallLimits = .forAsking(), environment: [String: String] = [:]
    ) throws -> [String: InstalledProvider] {
        var desk = try SettingsDesk()
        desk.environment = environment
        try desk.write("services:\n" + settings)
        let composition = desk.composition()
        let directory = try ProviderDirectory(try desk.read(), limits, in: composition)
        let services = directory.everybody().providers.filter {
            $0.service.map { !OpenAIPreset.all.map(\.id).contains($0) } == true
        }
        return Dictionary(uniqueKeysWithValues: services.map { ($0.name, $0) })
    }

    @Test func `Each service has the providers of its kind under fixed names`() throws {
        let made = try made(
            """
              openai: {needs_key: false}
              anthropic: {needs_key: false}
              elevenlabs: {needs_key: false}
              my-own: {kind: openai, base_url: "http://localhost:1/v1", needs_key: false, model: m}
            """)
        let ids = made.keys.sorted()
        let batches = [".batch", ".structured.batch"]
        let variants = ["", ".embedding", ".image", ".speech", ".structured", ".transcription"] + batches
        #expect(
            ids
                == (["anthropic", "anthropic.structured", "elevenlabs", "elevenlabs.transcription"]
                + batches.map { "anthropic\($0)" }
                + variants.flatMap { ["my-own\($0)", "openai\($0)"] })
                .sorted())
        for provider in made.values {
            let offers = try #require(ServiceSettings.builtIn.first { $0.name == provider.service }?.kind ?? .openai)
                .offers
            let offer = try #require(
                offers.first { $0.id(of: provider.service ?? "") == BatchName.live(of: provider.provider.id) })
            #expect(provider.provider.responseType == offer.answers)
        }
    }

    @Test func `Concurrency, rate, timeout and model come from settings, unless an option overrides them`() throws {
        let settings = """
              openai: {needs_key: false, concurrency: 7, rate: 90/min, timeout: 11s, model: gpt-x}
              anthropic: {needs_key: false, concurrency: 6, rate: 80/min, timeout: 12s, model: claude-x}
              elevenlabs: {needs_key: false, concurrency: 5, rate: 70/min, timeout: 13s, speech_model: eleven_v3}
            """
        let expected: [(String, Int, Double, Int, String)] = [
            ("openai", 7, 90, 11, "gpt-x"), ("anthropic", 6, 80, 12, "claude-x"),
            ("elevenlabs", 5, 70, 13, "eleven_v3"),
        ]
        let usual = try made(settings)
        let said = try made(
            settings, limits: Composition.CallLimits(concurrency: 2, timeout: .seconds(3), rate: 4))
        for (name, concurrency, rate, seconds, model) in expected {
            let limits = try #require(usual[name]).provider.limits
            #expect(limits.concurrency == concurrency && limits.rate == RateLimit(requestsPerMinute: rate))
            #expect(limits.attemptTimeout == .seconds(seconds))
            #expect(usual[name]?.model == model)
            let other = try #require(said[name]).provider.limits
            #expect(other.concurrency == 2 && other.rate == RateLimit(requestsPerMinute: 4))
            #expect(other.attemptTimeout == .seconds(3))
        }
        #expect(usual["elevenlabs"]?.provider.limits.maximumCharacters == 5000)
        #expect(usual["openai.speech"]?.provider.limits.maximumCharacters == 4096)
    }

    @Test func `Without a rate setting the service's own or reported rate applies`() throws {
        let made = try made(
            """
              openai: {needs_key: false}
              anthropic: {needs_key: false}
              elevenlabs: {needs_key: false}
              other: {kind: anthropic, base_url: "http://localhost:1", needs_key: false}
              local: {kind: openai, base_url: "http://localhost:1/v1", needs_key: false, model: m}
            """)
        #expect(made["openai"]?.provider.limits.rate == .openAI)
        #expect(made["anthropic"]?.provider.limits.rate == .anthropic)
        #expect(made["elevenlabs"]?.provider.limits.rate == .elevenLabs)
        #expect(made["other"]?.provider.limits.rate == .asReported)
        #expect(made["local"]?.provider.limits.rate == .asReported)
    }

    @Test func `A local server is free unless it needs a key or has a price`() throws {
        let settings = """
              openai: {base_url: "http://localhost:1/v1", needs_key: false, model: m}
              keyed: {kind: openai, base_url: "http://localhost:2/v1", model: m}
              local: {kind: openai, base_url: "http://localhost:3/v1", needs_key: false, model: m}
              other: {kind: openai, base_url: "http://localhost:4/v1", needs_key: false, model: m}
            """
        let entry = PriceEntry(provider: "local", unit: .outputToken, microDollarsPerMillion: 1)
        let made = try made(
            settings, limits: .forAsking(try PriceTable([entry] + PriceTable.shipped.entries)),
            environment: ["HABLARE_KEYED_KEY": "sk-test-0123456789abcdef"])
        #expect(made["openai"]?.hasPrice == false && made["other"]?.hasPrice == false)
        #expect(made["keyed"]?.hasPrice == true && made["local"]?.hasPrice == true)
    }

    @Test func `Each service has an account of its own`() throws {
        let made = try made(
            """
              openai: {needs_key: false}
              work: {kind: openai, needs_key: false}
              anthropic: {needs_key: false}
              other: {kind: anthropic, needs_key: false}
            """)
        let accounts = ["openai", "work", "anthropic", "other"].compactMap { made[$0]?.provider.account }
        #expect(Set(accounts).count == 4)
        #expect(made["anthropic"]?.provider.account == made["anthropic.structured"]?.provider.account)
    }

    @Test func `At another address a service has another identity and account`() throws {
        let desk = try SettingsDesk()
        try desk.write("services: {openai: {model: m}}")
        let directory = try ProviderDirectory(
            try desk.read(), Composition.CallLimits(rate: 5), in: desk.composition())
        var all: [InstalledProvider] = []
        for service in ["openai", "anthropic", "elevenlabs"] {
            let (one, other) = ("\(service)@http://localhost:1/v1", "\(service)@http://localhost:2/v1")
            let made = try [one, other].map { try directory.named($0, answering: .text) }
            #expect(made.map(\.name) == [one, other] && made.map(\.service) == [service, service])
            #expect(made.allSatisfy { $0.provider.account.rawValue.hasPrefix("\($0.name)") })
            #expect(Set(made.map(\.provider.instance)).count == 2)
            all += made
        }
        #expect(Set(all.map(\.provider.account)).count == 6)
        #expect(throws: Never.self) { _ = try all.registry() }
    }

    @Test func `A custom server needs an explicit model`() throws {
        let made = try made("  local: {kind: openai, base_url: \"http://localhost:1/v1\", needs_key: false, model: m}")
        #expect(made["local"]?.problem == nil && made["local.structured"]?.problem == nil)
        let problem = try #require(made["local.speech"]?.problem)
        #expect(problem.status == .configuration)
        #expect(problem.message.contains("services.local.speech_model") && problem.message.contains("--model"))
        // OpenAI itself has usual ones, except for speech.
        let openAI = try self.made("  openai: {needs_key: false}")
        for provider in openAI.values where provider.name != "openai.speech" {
            #expect(provider.problem == nil && provider.model != nil, "\(provider.name)")
        }
        let speech = try #require(openAI["openai.speech"]?.problem)
        #expect(speech.status == .configuration && speech.message.contains("services.openai.speech_model"))
        let named = try self.made("  openai: {needs_key: false, speech_model: tts-x}")
        #expect(named["openai.speech"]?.problem == nil && named["openai.speech"]?.model == "tts-x")
    }

    @Test func `The API for texts can be chosen`() throws {
        for api in ["chat", "responses"] {
            let made = try made("  openai: {needs_key: false, api: \(api)}")
            #expect(made["openai"]?.provider.instance.rawValue.contains(" \(api) text") == true)
            #expect(made["openai.structured"]?.provider.instance.rawValue.contains(" \(api) structured") == true)
        }
    }

    @Test func `The address of ElevenLabs may contain its version`() throws {
        let made = try made("  elevenlabs: {needs_key: false, base_url: \"http://localhost:1/v1\"}")
        #expect(made["elevenlabs"]?.provider.instance.rawValue.contains("http://localhost:1 ") == true)
    }

    // MARK: Calls

    @Test func `Calls have the key, address and headers of the settings`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage(
                environment: [
                    "HABLARE_SERVICES_OPENAI_HEADERS_X_TITLE": "Whale watch",
                    "HABLARE_SERVICES_ANTHROPIC_HEADERS_X_TITLE": "Whale watch",
                    "HABLARE_SERVICES_ELEVENLABS_HEADERS_X_TITLE": "Whale watch",
                ])
            for service in ["openai", "anthropic", "elevenlabs"] {
                #expect(await stage.run("generate", "--provider", service, "-o", "answer", "Hello.") == .success)
                let call = try #require(fake.server.calls.last?.call)
                let key = try #require(FakeService.keys[service])
                #expect(call.field("x-title") == "Whale watch")
                #expect(call.path.hasPrefix("/\(service)/"))
                let secrets = ["authorization", "x-api-key", "xi-api-key"].compactMap(call.field)
                #expect(secrets.count == 1 && secrets[0].hasSuffix(key))
            }
        }
    }

    @Test func `A server without need for a key gets only an existing one`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run("generate", "--provider", "local", "Hello.") == .success)
            #expect(fake.server.calls.last?.call.field("authorization") == nil)
            let key = FakeService.keys["openai"] ?? ""
            let other = try fake.stage(environment: ["HABLARE_LOCAL_KEY": key])
            #expect(await other.run("generate", "--provider", "local", "Hello.") == .success)
            #expect(fake.server.calls.last?.call.field("authorization") == "Bearer \(key)")
        }
    }

    // MARK: Keys

    @Test(arguments: [
        ("openai", "It may call 2 models.", "/openai/v1/models"),
        ("anthropic", "It may call 2 models.", "/anthropic/v1/models"),
        ("elevenlabs", "The plan creator has 9000 of 10000 credits left.", "/elevenlabs/v1/user/subscription"),
    ])
    func `A key is tested by one cheap call`(service: String, words: String, path: String) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run("keys", "test", service) == .success)
            #expect(stage.output.hasSuffix(". \(words)\n"))
            #expect(fake.paths == [path])
            let wrong = try fake.stage(environment: ["\(service.uppercased())_API_KEY": "wrong-0123456789-wrong"])
            #expect(await wrong.run("keys", "test", service) == .incomplete)
            #expect(wrong.errors.contains("does not accept the key wro…rong from the environment variable"))
            #expect(!wrong.errors.contains("0123456789"))
        }
    }

    @Test func `A key is not tested over plain http`() async throws {
        let stage = try Stage(environment: [
            "OPENAI_API_KEY": FakeService.keys["openai"] ?? "",
            "HABLARE_SERVICES_OPENAI_BASE_URL": "http://llm.invalid:8080/v1",
        ])
        #expect(await stage.run("keys", "test", "openai") == .configuration)
        #expect(stage.errors.contains("The key of openai is not sent to http://llm.invalid:8080, because plain http"))
    }

    @Test func `A custom service can be tested, and an unknown one is refused`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage(environment: ["HABLARE_LOCAL_KEY": FakeService.keys["openai"] ?? ""])
            #expect(await stage.run("keys", "test", "local") == .success)
            #expect(await stage.run("keys", "test", "lokal") == .unavailable)
            #expect(stage.errors.contains("Did you mean local?"))
        }
    }
}
