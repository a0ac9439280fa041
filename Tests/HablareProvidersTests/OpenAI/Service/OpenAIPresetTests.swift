import Hablare
import HablareProviders
import Testing

/// The table of presets.
@Suite struct OpenAIPresetTests {
    @Test func `Every row has what a service needs, and each name is there once`() throws {
        let all = OpenAIPreset.all
        #expect(
            Set(all.map(\.id)) == [
                "openrouter", "groq", "mistral", "deepseek", "xai", "gemini", "together", "azure", "ollama",
                "llama-cpp",
                "vllm",
            ])
        #expect(Set(all.map(\.id)).count == all.count && Set(all.map(\.title)).count == all.count)
        #expect(Set(all.map(\.address)).count == all.count)
        for preset in all {
            #expect(preset.id.wholeMatch(of: /[a-z][a-z0-9]*(-[a-z0-9]+)*/) != nil, "\(preset.id)")
            let address = try ServiceAddress(preset.address.replacing(OpenAIPreset.placeholder, with: "name"))
            let isLocal = address.origin.isLoopback
            #expect(address.origin.scheme == (isLocal ? "http" : "https"), "\(preset.id)")
            #expect(preset.needsKey != isLocal, "a server on this machine needs no key: \(preset.id)")
            #expect(preset.page.hasPrefix("https://"), "\(preset.id)")
            #expect(!preset.variables.isEmpty, "\(preset.id)")
            for variable in preset.variables { #expect(variable.wholeMatch(of: /[A-Z][A-Z0-9_]*_KEY/) != nil) }
            #expect(preset.offers.contains(.text), "\(preset.id)")
            #expect(OpenAIPreset.named(preset.id) == preset)
            #expect(try CredentialName(preset.id).variables.suffix(preset.variables.count) == preset.variables[...])
        }
        #expect(OpenAIPreset.named("grok") == nil)
    }

    @Test func `The differences are those that the services document`() throws {
        func named(_ id: String) throws -> OpenAIPreset { try #require(OpenAIPreset.named(id)) }
        let newNames = OpenAIPreset.all.filter { $0.compatibility.tokenLimit == .maxCompletionTokens }.map(\.id)
        #expect(newNames == ["groq", "xai", "azure"])
        #expect(OpenAIPreset.all.filter { $0.compatibility.structure != .schema }.map(\.id) == ["deepseek"])
        #expect(OpenAIPreset.all.filter { !$0.compatibility.streamsUsage }.map(\.id) == ["mistral", "together"])
        #expect(try named("mistral").compatibility.seedName == .randomSeed)
        #expect(try named("azure").keyField == "api-key")
        #expect(try named("azure").needsAddress)
        #expect(OpenAIPreset.all.filter(\.needsAddress).count == 1)
    }

    @Test func `A key of another service is noticed, and one of unknown form is not`() throws {
        let advice = KnownService.advice(for: try APIKey("sk-ant-0123456789abcdef"), of: "groq")
        #expect(advice?.contains("Keys of Groq begin with gsk_") == true)
        #expect(KnownService.advice(for: try APIKey("gsk_0123456789abcdef"), of: "groq") == nil)
        #expect(KnownService.advice(for: try APIKey("whatever-0123456789"), of: "mistral") == nil)
    }
}
