import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

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

    /// The presets that receive an ordinary schema adapted and strict, and those that receive it as it is.
    private static let strict: Set = ["openrouter", "mistral", "xai", "gemini", "together", "azure"]
    private static let unadapted: Set = ["groq", "ollama", "llama-cpp", "vllm"]

    @Test(arguments: OpenAIPreset.all.map(\.id))
    func `A schema is strict only if it keeps OpenAI's rules for strict schemas`(id: String) async throws {
        let preset = try #require(OpenAIPreset.named(id))
        let schema: ParameterValue = [
            "type": "object", "required": ["city"],
            "properties": ["city": ["type": "string", "minLength": 1], "country": ["type": "string"]],
        ]
        let bench = OpenAIBench(
            baseURL: preset.address.replacing(OpenAIPreset.placeholder, with: "name"),
            compatibility: preset.compatibility)
        let outcome = try await bench.call(AIRequest(prompt: "x", parameters: ["schema": schema])) { _ in
            OpenAIBench.json("{}", status: 500)
        } _: {
            OpenAIBench.chat()($0)
        }
        let format = try #require(outcome.calls.first?.json?[member: "response_format"])
        let isStrict = Self.strict.contains(id)
        guard isStrict || Self.unadapted.contains(id) else {
            #expect(format == ["type": "json_object"] && id == "deepseek")
            return
        }
        let sent = try #require(format[member: "json_schema"])
        #expect(sent[member: "strict"] == .bool(isStrict))
        #expect(VendorRules.ofOpenAI(sent[member: "schema"] ?? .null).isEmpty == isStrict)
        if !isStrict { #expect(sent[member: "schema"] == schema) }
    }

    @Test func `A key of another service is noticed, and one of unknown form is not`() throws {
        let advice = KnownService.advice(for: try APIKey("sk-ant-0123456789abcdef"), of: "groq")
        #expect(advice?.contains("Keys of Groq begin with gsk_") == true)
        #expect(KnownService.advice(for: try APIKey("gsk_0123456789abcdef"), of: "groq") == nil)
        #expect(KnownService.advice(for: try APIKey("whatever-0123456789"), of: "mistral") == nil)
    }
}
