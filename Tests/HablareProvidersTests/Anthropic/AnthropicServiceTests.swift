import Foundation
import HTTPTypes
import Hablare
import HablareStores
import HablareSupport
import Testing

@testable import HablareProviders

@Suite struct AnthropicServiceTests {
    @Test func `Models are listed page by page`() async throws {
        let bench = try AnthropicBench { call in
            if call.url.query()?.contains("after_id=b") == true {
                return .json(#"{"data":[{"type":"model","id":"c"}],"has_more":false,"last_id":"c"}"#)
            }
            return .json(
                #"{"data":[{"type":"model","id":"a","display_name":"A","created_at":"2026-09-23T00:00:00Z","lifecycle":"active","max_input_tokens":1000000,"max_tokens":128000},{"nonsense":1},{"id":"b","display_name":"B","lifecycle":"deprecated","retires_at":"2027-01-22T00:00:00Z","created_at":"1970-01-01T00:00:00Z","max_tokens":null}],"has_more":true,"last_id":"b"}"#
            )
        }
        let models = try await bench.service.models()
        #expect(
            models == [
                ModelInformation(
                    vendor: "anthropic", id: "a", name: "A", kind: .text,
                    releasedAt: InternetDate.known("2026-09-23T00:00:00Z"), contextTokens: 1_000_000,
                    outputTokens: 128_000, lifecycle: .active),
                ModelInformation(
                    vendor: "anthropic", id: "b", name: "B", kind: .text, lifecycle: .deprecated,
                    endsAt: InternetDate.known("2027-01-22T00:00:00Z")),
                ModelInformation(vendor: "anthropic", id: "c", kind: .text),
            ])
        #expect(
            bench.transport.calls.map(\.url.absoluteString).first == "https://api.anthropic.com/v1/models?limit=1000")
        #expect(bench.transport.calls.count == 2)
    }

    @Test func `Capabilities that the service reports replace the known ones`() async throws {
        let bench = try AnthropicBench { _ in
            .json(
                #"{"data":[{"id":"claude-sonnet-5-5","lifecycle":"active","max_tokens":64000,"capabilities":{"batch":{"supported":true},"effort":{"supported":true,"low":{"supported":true},"max":{"supported":true},"high":{"supported":false}},"thinking":{"supported":true,"types":{"adaptive":{"supported":true},"enabled":{"supported":true},"disabled":{"supported":false},"tomorrow":7}},"structured_outputs":{"supported":false}}},{"id":"claude-mythos-preview","lifecycle":"active","capabilities":7}]}"#
            )
        }
        let models = try await bench.service.models()
        let sonnet = try #require(models.first)
        #expect(sonnet.outputTokens == 64_000 && sonnet.isBatchable == true)
        #expect(sonnet.efforts == ["low", "max"])
        #expect(
            sonnet.refused == [
                "temperature", "top_p", "top_k", "thinking.disabled", "tool_choice.any", "tool_choice.tool", "prefill",
                "schema",
            ])
        #expect(sonnet.thinksByDefault == true, "known, and not reported")
        #expect(models.last?.endsAt == nil && models.last?.standing(at: AnthropicBench.now) == .current)
    }

    @Test func `A server that gives one page again and again is not asked for ever`() async throws {
        let bench = try AnthropicBench { call in
            .json(#"{"data":[{"id":"a"}],"has_more":true,"last_id":"\#(call.url.query()?.count ?? 0)"}"#)
        }
        _ = try await bench.service.models()
        #expect(bench.transport.calls.count <= 10)
    }

    @Test func `A list that is none is a failure`() async throws {
        let bench = try AnthropicBench { _ in .json("{}") }
        await #expect(throws: AIServiceError.self) { try await bench.service.models() }
    }

    @Test func `In an engine an overloaded model is asked again, and what it says streams and is paid for once`()
        async throws
    {
        let bench = try AnthropicBench { call in
            .events(AnthropicStreams.start + AnthropicStreams.error("overloaded_error"))
        }
        let count = Locked(0)
        let transport = ScriptedTransport { call in
            let number = count.withLock { number in
                number += 1
                return number
            }
            if number == 1 { return try await bench.transport.send(call) }
            return .events(AnthropicStreams.hello)
        }
        let key = try APIKey("sk-ant-api03-0123456789abcdef")
        let service = AnthropicService(
            address: try ServiceAddress(AnthropicService.defaultAddress), transport: transport,
            key: { () throws(AIServiceError) in key })
        let manager = AIRequestManager(
            store: InMemoryStore(), providers: try ProviderRegistry([AnthropicMessagesProvider(service: service)]),
            configuration: EngineConfiguration(retry: RetryPolicy(baseDelay: .milliseconds(1))))
        try await EngineService.run(manager) {
            let request = AIRequest(prompt: "hello", model: "claude-sonnet-5-5", streaming: StreamingPolicy())
            let response = try await manager.execute(request, with: "anthropic")
            let text = try await response.text()
            #expect(text == AnthropicStreams.helloText)
            // Per million tokens: 20 at $2; 4,000 cached at $0.10 and 300 written to the cache at $2.50; 15 written at
            // $10.
            #expect(response.usage.costMicroDollars == 1340)
            let attempts = try await manager.attempts(for: request.id)
            #expect(attempts.map(\.billing) == [.neverSent, .billed])
        }
        #expect(transport.calls.count == 2)
    }
}
