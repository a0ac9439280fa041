import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareCommand

/// Who is meant by a name, and why somebody cannot be asked.
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
    func `A service's name means the one that answers as wanted`(name: String, type: ContentType, id: String) throws {
        #expect(try directory().provider(name, for: .generate, answering: type).name == id)
    }

    @Test func `Nobody named is the default's, and without one an error that says what to do`() throws {
        let settings = "default_provider: {generate: openai, speak: nobody}"
        #expect(try directory(settings).provider(nil, for: .generate, answering: .text).name == "openai")
        let missing = try failure(nil, .image, in: directory(settings))
        #expect(missing.status == .usage)
        #expect(missing.message.contains("--provider") && missing.message.contains("default_provider.image"))
        let wrong = try failure(nil, .speak, in: directory(settings))
        #expect(wrong.status == .unavailable)
        #expect(wrong.message.hasSuffix("It is default_provider.speak of the settings."))
    }

    @Test func `Who cannot be asked says why, with its own status`() throws {
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

    @Test func `Who asks a program has no business with keys`() throws {
        let directory = try directory {
            $0.lookUpKey = { _, _ in
                Issue.record("A key was looked up.")
                return nil
            }
        }
        _ = try directory.provider("espeak-ng", for: .generate, answering: .audio)
    }

    @Test func `Everybody is the programs and what stands as it should`() throws {
        let names = try directory("services: {broken: {kind: openai, base_url: localhost, needs_key: false}}")
            .everybody().map(\.name)
        #expect(
            Set(names) == [
                "espeak-ng", "openai", "openai.structured", "openai.speech", "openai.image", "openai.embedding",
            ])
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

    @Test func `Fallback is to those that answer with the same and can be asked`() throws {
        let settings = """
            services:
              openai: {fallback: [anthropic, local, elevenlabs, espeak-ng]}
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

    @Test func `A name in a fallback that is nobody's is an error`() throws {
        let error = #expect(throws: CommandFailure.self) {
            try fallback("services: {openai: {fallback: [antropic]}}", of: "openai", answering: .text)
        }
        #expect(error?.status == .configuration && error?.message.contains("Did you mean anthropic?") == true)
    }
}
