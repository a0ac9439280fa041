import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareCommand

/// The provider that a name selects, and the reason why a provider cannot be used.
@Suite struct ProviderDirectoryTests {
    private static let openAI = ["OPENAI_API_KEY": "sk-test-0123456789abcdef"]

    private func directory(
        _ settings: String = "", environment: [String: String] = openAI, change: (inout Composition) -> Void = { _ in }
    ) throws -> ProviderDirectory {
        var desk = try SettingsDesk()
        desk.environment = environment
        if !settings.isEmpty { try desk.write(settings) }
        var composition = desk.composition()
        change(&composition)
        return try ProviderDirectory(try desk.read(), .forAsking(), in: composition)
    }

    private func failure(
        _ name: String?, _ use: ProviderUse = .generate, answering type: ContentType = .text,
        in directory: ProviderDirectory
    ) throws -> CommandFailure {
        try #require(throws: CommandFailure.self) { try directory.provider(name, for: use, answering: type) }
    }

    @Test(arguments: [
        ("openai", ContentType.text, "openai"), ("openai", .structured, "openai.structured"),
        ("openai", .audio, "openai.speech"), ("openai", .image, "openai.image"),
        ("openai", .embedding, "openai.embedding"), ("openai.speech", .text, "openai.speech"),
        ("espeak-ng", .text, "espeak-ng"),
    ])
    func `A service's name selects the provider by content type`(name: String, type: ContentType, id: String) throws {
        let directory = try directory("services: {openai: {speech_model: m}}")
        #expect(try directory.provider(name, for: .generate, answering: type).name == id)
    }

    @Test(arguments: [("openai", "openai.transcription"), ("openai.transcription", "openai.transcription")])
    func `A service's name selects the provider that transcribes`(name: String, id: String) throws {
        #expect(try directory().provider(name, for: .transcribe, answering: .text).name == id)
        #expect(try directory().provider("openai", for: .generate, answering: .text).name == "openai")
    }

    @Test func `Without a name the default provider is used, else the error gives advice`() throws {
        let settings = "default_provider: {generate: openai, speak: nobody}"
        #expect(try directory(settings).provider(nil, for: .generate, answering: .text).name == "openai")
        let missing = try failure(nil, .image, in: directory(settings))
        #expect(missing.status == .usage)
        #expect(missing.message.contains("--provider") && missing.message.contains("default_provider.image"))
        let wrong = try failure(nil, .speak, in: directory(settings))
        #expect(wrong.status == .unavailable)
        #expect(wrong.message.hasSuffix("It is default_provider.speak in the settings."))
    }

    @Test func `A provider that is not usable is refused with the reason and its own status`() throws {
        let settings = """
            services:
              anthropic: {enabled: false}
              local: {kind: openai, base_url: "http://localhost:1/v1", needs_key: false}
              broken: {kind: openai, base_url: localhost, needs_key: false}
            """
        let directory = try directory(settings)
        let expected: [(String, CommandStatus, String)] = [
            ("elevenlabs", .unavailable, "hablare keys set elevenlabs"),
            ("anthropic", .unavailable, "anthropic is disabled"),
            ("broken", .configuration, "has no scheme"),
            ("local", .configuration, "services.local.model"),
            ("opnai", .unavailable, "Did you mean openai"),
            ("openai.speach", .unavailable, "Did you mean openai.speech"),
        ]
        for (name, status, words) in expected {
            let failure = try failure(name, in: directory)
            #expect(failure.status == status && failure.message.contains(words), "\(name): \(failure.message)")
        }
    }

    @Test func `Selecting a program reads no keys`() throws {
        let directory = try directory {
            $0.lookUpKey = { _, _ in
                Issue.record("A key was looked up.")
                return nil
            }
        }
        _ = try directory.provider("espeak-ng", for: .generate, answering: .audio)
    }

    private static let offers = [
        "openai", "openai.structured", "openai.speech", "openai.image", "openai.embedding", "openai.transcription",
        "openai.batch", "openai.structured.batch",
    ]

    @Test func `All usable providers are listed, and the others with the reason`() throws {
        let all = try directory("services: {broken: {kind: openai, base_url: localhost, needs_key: false}}").everybody()
        #expect(Set(all.providers.map(\.name).withoutPresets) == Set(["espeak-ng"] + Self.offers))
        let others = Self.offers.map { $0.replacing("openai", with: "broken") }
        #expect(
            Set(all.leftOut.keys.map(\.rawValue).withoutPresets)
                == Set(
                    others + ["anthropic", "anthropic.structured", "elevenlabs", "elevenlabs.transcription"]
                        + ["anthropic.batch", "anthropic.structured.batch"]))
        for id in ["broken", "broken.speech"] as [ProviderID] {
            #expect(all.leftOut[id]?.message.contains("has no scheme") == true)
        }
        #expect(all.leftOut["elevenlabs"]?.message.contains("hablare keys set elevenlabs") == true)
    }

    @Test func `Providers of waiting requests at other addresses are included`() throws {
        let there = "openai.speech@http://llm.lan:8080/v1"
        let waiting: Set<ProviderID> = [
            ProviderID(rawValue: there), "openai", "espeak-ng", "nobody@http://localhost:1", "strange",
            "openai.none@http://localhost:1",
        ]
        let settings = "services: {anthropic: {enabled: false}}"
        let off: ProviderID = "anthropic@http://localhost:1"
        let all = try directory(settings).everybody(
            askedBefore: waiting.union([off]).sorted { $0.rawValue < $1.rawValue })
        #expect(Set(all.providers.map(\.name).withoutPresets) == Set(["espeak-ng", there] + Self.offers))
        #expect(all.leftOut["nobody@http://localhost:1"]?.message.contains("have no service nobody") == true)
        #expect(all.leftOut[off]?.message.contains("is disabled") == true)
        #expect(all.leftOut["strange"] == nil && all.leftOut["openai.none@http://localhost:1"] == nil)
    }

    @Test func `Without a network the services are left out and the programs stay`() throws {
        let directory = try directory {
            $0.network = NetworkAccess { _ throws(AIServiceError) in
                throw AIServiceError(.invalidConfiguration, "There is no certificate.")
            }
        }
        let all = directory.withNetwork(directory.everybody())
        #expect(all.providers.map(\.name) == ["espeak-ng"])
        for name in Self.offers {
            #expect(all.leftOut[ProviderID(rawValue: name)]?.message == "There is no certificate.")
        }
        #expect(all.leftOut["elevenlabs"]?.message.contains("hablare keys set") == true, "that comes first")
    }

    // MARK: Other addresses

    @Test(arguments: [
        ("openai", ContentType.text, "openai"), ("openai", .audio, "openai.speech"),
        ("openai.image", .text, "openai.image"),
    ])
    func `A name with an address selects the service there`(name: String, type: ContentType, id: String) throws {
        let address = "http://llm.lan:8080/v1"
        let directory = try directory("services: {openai: {model: m, speech_model: m, image_model: m}}") {
            $0.lookUpKey = { _, _ in
                Issue.record("A key was looked up.")
                return nil
            }
        }
        let found = try directory.provider("\(name)@\(address)/", for: .generate, answering: type)
        #expect(found.name == "\(id)@\(address)" && found.service == "openai")
        #expect(found.provider.instance.rawValue.contains(address))
        let failure = try failure("\(name)@llm.lan:8080", in: directory)
        #expect(failure.message.contains("Unknown provider '\(name)@llm.lan:8080'."))
    }

    @Test func `A provider at another address has no fallback`() throws {
        let directory = try directory(
            "services: {openai: {speech_model: m, fallback: [espeak-ng, anthropic]}, anthropic: {needs_key: false}}")
        let here = try directory.provider("openai", for: .generate, answering: .text)
        #expect(try directory.fallback(of: here).map(\.name) == ["anthropic"])
        let there = try directory.provider("openai@http://localhost:1", for: .generate, answering: .audio)
        #expect(try directory.fallback(of: there).isEmpty)
    }

    @Test func `Without a service no key is read`() throws {
        var desk = try SettingsDesk()
        try desk.write("services: {openai: {base_url: \"http://llm.lan/v1\", speech_model: m}}")
        desk.environment = [:]
        var composition = desk.composition()
        composition.lookUpKey = { _, _ in
            Issue.record("A key was looked up.")
            return nil
        }
        let directory = try ProviderDirectory(
            try desk.read(), .forAsking(), asksNobody: true, in: composition)
        #expect(try directory.provider("openai", for: .speak, answering: .audio).name == "openai.speech")
        #expect(try directory.provider(nil, for: .speak, answering: .audio).name == "espeak-ng", "the usual one")
    }

    // MARK: Fallback

    private func fallback(_ settings: String, of name: String, answering type: ContentType) throws -> (
        [String], [String]
    ) {
        let directory = try directory(settings)
        var leftOut: [String] = []
        let first = try directory.provider(name, for: .generate, answering: type)
        let found = try directory.fallback(of: first) { name, _ in leftOut.append(name) }
        return (found.map(\.name), leftOut)
    }

    @Test func `Fallback providers have the same content type and are usable`() throws {
        let settings = """
            services:
              openai: {speech_model: m, fallback: [anthropic, local, elevenlabs, espeak-ng]}
              anthropic: {needs_key: false}
              local: {kind: openai, base_url: "http://localhost:1/v1", needs_key: false, model: m}
            """
        #expect(try fallback(settings, of: "openai", answering: .text) == (["anthropic", "local"], ["elevenlabs"]))
        #expect(
            try fallback(settings, of: "openai", answering: .structured)
                == (["anthropic.structured", "local.structured"], ["elevenlabs"]))
        #expect(try fallback(settings, of: "openai", answering: .audio).0 == ["espeak-ng"])
        #expect(try fallback(settings, of: "local", answering: .text).0.isEmpty)
    }

    @Test func `An unknown name in a fallback is an error`() throws {
        let error = #expect(throws: CommandFailure.self) {
            try fallback("services: {openai: {fallback: [antropic]}}", of: "openai", answering: .text)
        }
        #expect(error?.status == .configuration && error?.message.contains("Did you mean anthropic?") == true)
    }
}
