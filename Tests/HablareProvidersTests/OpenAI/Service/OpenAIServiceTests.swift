import Foundation
import HTTPTypes
import Hablare
import Testing

@testable import HablareProviders

@Suite struct OpenAIServiceTests {
    private func service(_ baseURL: String, _ answer: HTTPAnswer) throws -> OpenAIService {
        try OpenAIBench(baseURL: baseURL).service(ScriptedTransport { _ in answer })
    }

    @Test("The models of a key are ordered by id, and invalid entries are omitted")
    func models() async throws {
        let list = OpenAIBench.json(
            #"{"object":"list","data":[{"id":"tts-1","created":1700000000,"owned_by":"openai"},{"id":"gpt-4.1"},{"x":1},7,{"id":""}]}"#
        )
        let models = try await service(OpenAIService.baseURL, list).models()
        #expect(
            models == [
                ModelInformation(vendor: "openai", id: "gpt-4.1"),
                ModelInformation(
                    vendor: "openai", id: "tts-1", releasedAt: Date(timeIntervalSince1970: 1_700_000_000)),
            ])
    }

    @Test("Ends that the service reports replace the known ones, and a model that has ended is not called")
    func ends() async throws {
        let known = ModelCatalog([
            ModelInformation(
                vendor: "openai", id: "gpt-old", kind: .text, endsAt: OpenAIBench.now, successor: "gpt-new"),
            ModelInformation(vendor: "openai", id: "gpt-new", endsAt: OpenAIBench.now.addingTimeInterval(1)),
        ])
        let list = OpenAIBench.json(
            #"{"data":[{"id":"gpt-old","shutdown_date":"2027-06-01"},{"id":"gpt-new","shutdown_date":null},{"id":"x","shutdown_date":7},{"id":"y","shutdown_date":"soon"}]}"#
        )
        let models = try await OpenAIBench(catalog: known).service(ScriptedTransport { _ in list }).models()
        #expect(models.map(\.id) == ["gpt-new", "gpt-old", "x", "y"])
        #expect(models[1].endsAt == InternetDate.known("2027-06-01T00:00:00Z") && models[1].successor == "gpt-new")
        #expect(models[0].endsAt == OpenAIBench.now.addingTimeInterval(1) && models[2].endsAt == nil)

        let makers: [(OpenAIService, String) -> any AIServiceProvider & RequestChecking] = [
            { OpenAIChatProvider("p", service: $0, model: $1) },
            { OpenAIResponsesProvider("p", service: $0, model: $1) },
            { OpenAISpeechProvider("p", service: $0, model: $1) },
            { OpenAIImageProvider("p", service: $0, model: $1) },
            { OpenAIEmbeddingProvider("p", service: $0, model: $1) },
            { OpenAITranscriptionProvider("p", service: $0, model: $1) },
        ]
        let recording = Prompt.messages([.init(role: .user, parts: [.audio("ID3 sound", .mp3)])])
        for make in makers {
            let transport = ScriptedTransport { _ in OpenAIBench.json("{}", status: 400) }
            let service = try OpenAIBench(catalog: known).service(transport)
            // The model of the request counts, not that of the provider.
            for (usual, asked) in [("gpt-old", nil), ("gpt-new", "gpt-old")] as [(String, String?)] {
                let hears = make(service, usual) is OpenAITranscriptionProvider
                let request = AIRequest(prompt: hears ? recording : "x", model: asked)
                guard case .failure(let error) = await make(service, usual).generate(ProviderCall(request: request))
                else {
                    Issue.record("Nothing failed")
                    continue
                }
                #expect(error.code == .modelRetired && error.message.contains("gpt-new"), "\(error)")
                #expect(throws: AIServiceError.self) { try make(service, usual).check(request) }
            }
            #expect(transport.calls.isEmpty)
            let new = make(service, "gpt-new")
            let prompt = new is OpenAITranscriptionProvider ? recording : "x"
            _ = await new.generate(ProviderCall(request: AIRequest(prompt: prompt)))
            #expect(transport.calls.count == 1)
        }
    }

    @Test("A malformed list of models and a refusal are errors", arguments: ["{}", "[]", "x", #"{"data":{}}"#])
    func noModels(text: String) async throws {
        await #expect(throws: AIServiceError.self) {
            try await service(OpenAIService.baseURL, OpenAIBench.json(text)).models()
        }
        let refusing = try service(OpenAIService.baseURL, OpenAIBench.json(text, status: 401))
        do throws(AIServiceError) {
            _ = try await refusing.models()
            Issue.record("Nothing failed")
        } catch {
            #expect(error.code == .unauthorized)
        }
    }

    @Test("OpenAI and other servers have separate defaults, and kinds of providers have separate accounts")
    func defaults() throws {
        let here = try service(OpenAIService.baseURL, OpenAIBench.json(""))
        #expect(here.compatibility == .openAI && here.isCharged && here.rate == .openAI && here.account == "openai")
        let local = try service("http://localhost:11434/v1", OpenAIBench.json(""))
        #expect(local.compatibility == .others && !local.isCharged && local.rate == .asReported)
        #expect(local.account != here.account)
        let providers: [any AIServiceProvider] = [
            OpenAIChatProvider("a", service: here, model: "m"), OpenAIResponsesProvider("b", service: here, model: "m"),
            OpenAISpeechProvider("c", service: here, model: "m"), OpenAIImageProvider("d", service: here, model: "m"),
            OpenAIEmbeddingProvider("e", service: here, model: "m"),
        ]
        #expect(Set(providers.map(\.account)).count == 4 && providers[0].account == providers[1].account)
        #expect(providers.allSatisfy { $0.defaultModel == "m" })
        #expect(throws: Never.self) { try ProviderRegistry(providers) }
    }

    @Test("Configured fields are sent with each call")
    func fields() async throws {
        let transport = ScriptedTransport { _ in OpenAIBench.json(#"{"data":[]}"#) }
        var fields = HTTPFields()
        fields[named: "OpenAI-Organization"] = "org-1"
        let service = OpenAIService(
            try ServiceAddress(OpenAIService.baseURL), transport: transport, key: { () throws(AIServiceError) in nil },
            fields: fields)
        _ = try await service.models()
        let call = try #require(transport.calls.first)
        #expect(call.fields[named: "OpenAI-Organization"] == "org-1" && call.secrets.isEmpty && call.method == .get)
    }
}
