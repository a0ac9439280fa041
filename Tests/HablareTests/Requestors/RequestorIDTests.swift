import Foundation
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStructured

/// The names of requestors and the providers they select.
@Suite struct RequestorIDTests {
    @Test(
        "A requestor id has a provider, a category and a variant",
        arguments: [
            ("openai.text.gpt-4o-mini", "openai", RequestorID.Category.text, "gpt-4o-mini"),
            ("openai.text.gpt-4.1", "openai", .text, "gpt-4.1"),
            ("local.structured.meta-llama/Llama-3.2:3b", "local", .structured, "meta-llama/Llama-3.2:3b"),
            ("my.server.speech.default", "my.server", .speech, "default"),
            ("text.text.text", "text", .text, "text"), ("image.embedding.a.image.b", "image", .embedding, "a.image.b"),
        ])
    func parts(text: String, provider: String, category: RequestorID.Category, variant: String) throws {
        let id = try RequestorID(text)
        #expect(id.provider.rawValue == provider && id.category == category && id.variant == variant)
        #expect(id.description == text)
        #expect(try RequestorID(provider: id.provider, category: category, variant: variant) == id)
        #expect(id.model == (variant == "default" ? nil : variant))
    }

    @Test(
        "An invalid requestor id is refused",
        arguments: [
            "", ".", "openai", "openai.text", "openai.text.", ".text.x", "openai.words.x", "openai.Text.x", "a..text.x",
            "text.x", "open ai.text.x", "openai.text.x y", "openai.text.x\n", "openai.text.x\u{0}",
            "openai.text." + String(repeating: "x", count: 256),
        ])
    func refusals(text: String) {
        let error = #expect(throws: AIServiceError.self) { _ = try RequestorID(text) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test("A provider name that contains a category is refused as ambiguous")
    func ambiguous() {
        #expect(throws: AIServiceError.self) { _ = try RequestorID(provider: "openai.text", category: .speech) }
    }

    @Test("Every accepted id survives the round trip through its description", arguments: Seeds.choose(100))
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let words = ["a", "text", "image", "default", "", "é", "x y"]
        func word() -> String {
            (0..<Int.random(in: 1...3, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
                .joined(separator: ".")
        }
        for _ in 0..<50 {
            let category = RequestorID.Category.allCases.randomElement(using: &random) ?? .text
            let id: RequestorID
            do {
                id = try RequestorID(provider: ProviderID(rawValue: word()), category: category, variant: word())
            } catch {
                continue  // not a valid id
            }
            #expect(try RequestorID(id.description) == id)
        }
    }

    @Test("A requestor accepts only ids of its own category")
    func category() {
        let error = #expect(throws: AIServiceError.self) { _ = try SpeechRequestor("openai.text.gpt-4o") }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("the category text") ?? false)
    }

    // MARK: Providers

    private static func chosen(
        _ id: String, from providers: [(ProviderID, ContentType)]
    ) throws -> ProviderID {
        try RequestorID(id).provider(
            in: ProviderRegistry(providers.map { ScriptedProvider(id: $0.0, responseType: $0.1) }))
    }

    @Test("The provider is the one with the name and category, else the one with the name")
    func provider() throws {
        let all: [(ProviderID, ContentType)] = [("openai", .text), ("openai.speech", .audio), ("espeak", .audio)]
        #expect(try Self.chosen("openai.text.x", from: all) == "openai")
        #expect(try Self.chosen("openai.speech.x", from: all) == "openai.speech")
        #expect(try Self.chosen("espeak.speech.x", from: all) == "espeak")
        #expect(try Self.chosen("openai.structured.x", from: all) == "openai", "text will do where nothing parses it")
        #expect(
            try Self.chosen("openai.structured.x", from: all + [("openai.structured", .structured)])
                == "openai.structured")
    }

    @Test("A missing provider or one with another content type is an error that names it")
    func noProvider() {
        let missing = #expect(throws: AIServiceError.self) { _ = try Self.chosen("a.text.x", from: [("b", .text)]) }
        #expect(missing?.code == .providerNotFound)
        let other = #expect(throws: AIServiceError.self) { _ = try Self.chosen("a.image.x", from: [("a", .text)]) }
        #expect(other?.code == .invalidConfiguration)
        #expect(other?.message.contains("a.image") ?? false)
    }
}
