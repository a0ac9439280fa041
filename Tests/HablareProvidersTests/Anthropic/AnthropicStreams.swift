import Foundation
import HTTPTypes
import Hablare

@testable import HablareProviders

/// Streams in the form of the messages API.
enum AnthropicStreams {
    static func event(_ type: String, _ json: String) -> String { "event: \(type)\ndata: \(json)\n\n" }

    static let start = event(
        "message_start",
        #"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude-sonnet-5-5-20261001","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":20,"cache_creation_input_tokens":300,"cache_read_input_tokens":4000,"output_tokens":1}}}"#
    )
    static let ping = event("ping", #"{"type":"ping"}"#)
    static let stop = event("message_stop", #"{"type":"message_stop"}"#)

    static func block(_ index: Int, _ block: String, _ deltas: String...) -> String {
        event(
            "content_block_start", #"{"type":"content_block_start","index":\#(index),"content_block":\#(block)}"#)
            + deltas.map {
                event("content_block_delta", #"{"type":"content_block_delta","index":\#(index),"delta":\#($0)}"#)
            }.joined() + event("content_block_stop", #"{"type":"content_block_stop","index":\#(index)}"#)
    }

    static func text(_ index: Int, _ pieces: String...) -> String {
        let deltas = pieces.map {
            event(
                "content_block_delta",
                #"{"type":"content_block_delta","index":\#(index),"delta":{"type":"text_delta","text":"\#($0)"}}"#)
        }
        return event(
            "content_block_start",
            #"{"type":"content_block_start","index":\#(index),"content_block":{"type":"text","text":""}}"#)
            + deltas.joined() + event("content_block_stop", #"{"type":"content_block_stop","index":\#(index)}"#)
    }

    static func end(_ reason: String = "end_turn", usage: String = #"{"output_tokens":15}"#) -> String {
        event(
            "message_delta",
            #"{"type":"message_delta","delta":{"stop_reason":"\#(reason)","stop_sequence":null},"usage":\#(usage)}"#)
    }

    static func error(_ type: String) -> String {
        event("error", #"{"type":"error","error":{"type":"\#(type)","message":"the prompt was: secret"}}"#)
    }

    /// Text in two scripts, between pings.
    static let hello = start + ping + text(0, "Hello, ", "Wörld 👩‍👧", "!") + ping + end() + stop
    static let helloText = "Hello, Wörld 👩‍👧!"

    /// Thinking, text, and two tools.
    static let tools =
        start
        + block(
            0, #"{"type":"thinking","thinking":"","signature":""}"#, #"{"type":"thinking_delta","thinking":"Let me "}"#,
            #"{"type":"thinking_delta","thinking":"see."}"#, #"{"type":"signature_delta","signature":"EqQB="}"#)
        + block(1, #"{"type":"redacted_thinking","data":"c2VjcmV0"}"#)
        + text(2, "I look ", "it up.")
        + block(
            3, #"{"type":"tool_use","id":"toolu_1","name":"weather","input":{}}"#,
            #"{"type":"input_json_delta","partial_json":""}"#,
            #"{"type":"input_json_delta","partial_json":"{\"city\": \"Cór"}"#,
            #"{"type":"input_json_delta","partial_json":"doba\"}"}"#)
        + block(4, #"{"type":"tool_use","id":"toolu_2","name":"time","input":{}}"#)
        + end(
            "tool_use",
            usage: #"{"input_tokens":21,"output_tokens":90,"output_tokens_details":{"thinking_tokens":30}}"#)
        + stop
}

/// A service with scripted answers.
struct AnthropicBench {
    let transport: ScriptedTransport
    let service: AnthropicService
    static let now = InternetDate.known("2026-11-22T13:00:00Z")

    /// A few models with known rules, so that the tests do not depend on the list that ships.
    static let catalog = ModelCatalog([
        ModelInformation(
            vendor: "anthropic", id: "claude-sonnet-5-5", outputTokens: 128_000, thinksByDefault: true,
            efforts: ["low", "medium", "high"],
            refused: [
                "temperature", "top_p", "top_k", "thinking.enabled", "thinking.disabled", "tool_choice.any",
                "tool_choice.tool", "prefill",
            ]),
        ModelInformation(
            vendor: "anthropic", id: "claude-opus-5-5", outputTokens: 128_000, thinksByDefault: true,
            refused: ["temperature", "top_p", "top_k", "thinking.enabled"]),
        ModelInformation(
            vendor: "anthropic", id: "claude-sonnet-4-5", outputTokens: 64_000, thinksByDefault: false,
            refused: ["temperature+top_p"]),
        ModelInformation(
            vendor: "anthropic", id: "claude-mythos-preview", endsAt: InternetDate.known("2026-06-30T00:00:00Z"),
            successor: "claude-mythos-5-2"),
    ])

    init(
        address: String = AnthropicService.defaultAddress, catalog: ModelCatalog = Self.catalog,
        _ answer: @escaping @Sendable (HTTPCall) async throws -> HTTPAnswer
    ) throws {
        transport = ScriptedTransport(answer)
        let key = try APIKey("sk-ant-api03-0123456789abcdef")
        service = AnthropicService(
            address: try ServiceAddress(address), transport: transport, key: { () throws(AIServiceError) in key },
            catalog: catalog, date: { Self.now })
    }

    /// Creates a service that answers with one stream.
    init(stream: String, fields: [String: String] = [:]) throws {
        try self.init { _ in .events(stream, fields: fields) }
    }

    var text: AnthropicMessagesProvider { AnthropicMessagesProvider(service: service) }
    var structured: AnthropicMessagesProvider {
        AnthropicMessagesProvider(id: "anthropic.structured", service: service, form: .structured)
    }
}
