#if os(macOS) || os(Linux)
import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import HablareTestServers

@testable import HablareProviders

/// The answers of the three services, as they send them, by the path of the call.
///
/// The vendors' libraries and our providers read the same ones.
struct WireAnswers: Sendable {
    /// The id of the batch's one request.
    let requestID: UUID

    static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3, 4, 5])
    static let wave = Data("RIFF\u{1}\u{2}\u{3}\u{4}WAVEfmt and sound".utf8)
    static let sound = Data("ID3 a quokka sings".utf8)
    static let voice = ElevenLabsBench.voice

    func reply(to call: ReceivedCall) -> ServerReply {
        let body = ParameterValue(lenientJSON: call.body) ?? .null
        let isStreamed = body[member: "stream"] == true
        let text = String(decoding: call.body, as: UTF8.self)
        let hasResult = text.contains("22 degrees")
        if text.contains(Self.refusedPrompt) { return Self.refusal(400, call) }
        if text.contains(Self.fastPrompt) { return Self.refusal(429, call) }
        return switch (call.method, call.path) {
        case (.post, "/v1/chat/completions"): isStreamed ? Self.events(Self.chatStream) : Self.json(Self.chat(body))
        case (.post, "/v1/responses"):
            isStreamed
                ? .text(200, Self.responseStream, type: "text/event-stream")
                : Self.json(body[member: "tools"] == nil ? Self.response([Self.answer("Hello")]) : Self.firstTurn(body))
        case (.post, "/v1/embeddings"): Self.json(Self.vectors(body))
        case (.post, "/v1/images/generations"), (.post, "/v1/images/edits"):
            Self.json(
                #"{"created":1,"data":[{"b64_json":"\#(Self.png.base64EncodedString())","revised_prompt":"A fine cat"}],"usage":{"input_tokens":7,"output_tokens":1000,"total_tokens":1007,"input_tokens_details":{"image_tokens":0,"text_tokens":7}}}"#
            )
        case (.post, "/v1/audio/speech"): .bytes(200, Self.sound, type: "audio/mpeg")
        case (.post, "/v1/audio/transcriptions"):
            Self.json(
                #"{"text":"Hello there.","usage":{"type":"tokens","input_tokens":14,"output_tokens":4,"total_tokens":18,"input_token_details":{"text_tokens":0,"audio_tokens":14}}}"#
            )
        case (.post, "/v1/files"):
            Self.json(
                #"{"id":"file_in","object":"file","bytes":1,"created_at":1,"filename":"batch.jsonl","purpose":"batch","status":"processed"}"#
            )
        case (.post, "/v1/batches"): Self.json(Self.batch("validating"))
        case (.get, "/v1/batches/batch_1"): Self.json(Self.batch("completed"))
        case (.get, "/v1/files/out/content"):
            lines(#""response":{"status_code":200,"request_id":"q","body":\#(Self.chat(.null))},"error":null"#)
        case (.get, "/v1/files/err/content"): .text(200, "", type: "application/octet-stream")
        case (.get, "/v1/models"):
            Self.json(
                call.field("anthropic-version") == nil
                    ? #"{"object":"list","data":[{"id":"gpt-6-luna","object":"model","created":1,"owned_by":"openai","shutdown_date":null}]}"#
                    : #"{"data":[{"type":"model","id":"claude-sonnet-5-5","display_name":"Claude Sonnet 5.5","created_at":"2026-09-01T00:00:00Z","lifecycle":"active","max_input_tokens":1000000,"max_tokens":128000}],"has_more":false,"first_id":"claude-sonnet-5-5","last_id":"claude-sonnet-5-5"}"#
            )
        case (.post, "/v1/messages"):
            isStreamed
                ? .text(
                    200, body[member: "tools"] == nil || hasResult ? AnthropicStreams.hello : AnthropicStreams.tools,
                    type: "text/event-stream")
                : Self.json(Self.message)
        case (.post, "/v1/messages/batches"): Self.json(messageBatch("in_progress", call))
        case (.get, "/v1/messages/batches/batch_1"): Self.json(messageBatch("ended", call))
        case (.get, "/v1/messages/batches/batch_1/results"):
            lines(#""result":{"type":"succeeded","message":\#(Self.message)}"#)
        case (.post, "/v1/text-to-speech/\(Self.voice)"): .bytes(200, Self.sound, type: "audio/mpeg")
        case (.post, "/v1/text-to-speech/\(Self.voice)/stream/with-timestamps"):
            .text(
                200,
                ElevenLabsBench.timed(Self.sound.prefix(6), "Hi ", from: 0) + "\n"
                    + ElevenLabsBench.timed(Self.sound.dropFirst(6), "you.", from: 0.5) + "\n",
                type: "application/json")
        case (.post, "/v1/speech-to-text"):
            Self.json(
                #"{"language_code":"eng","language_probability":0.98,"text":"Hi you.","words":[{"text":"Hi","start":0.1,"end":0.4,"type":"word","speaker_id":"speaker_0","logprob":0},{"text":" ","start":0.4,"end":0.5,"type":"spacing","logprob":0},{"text":"you.","start":0.5,"end":0.9,"type":"word","speaker_id":"speaker_0","logprob":0}],"transcription_id":"t","audio_duration_secs":1.5}"#
            )
        default:
            .text(
                404, #"{"error":{"message":"There is no such path.","type":"invalid_request_error"}}"#,
                type: "application/json")
        }
    }

    /// The prompts of calls that the services refuse: one for its content, one because of the rate limit.
    static let refusedPrompt = "Refuse this."
    static let fastPrompt = "Too fast."
    /// The services' message in a refusal.
    static let refusedBecause = "max_tokens is too large for this model"

    private static func refusal(_ status: Int, _ call: ReceivedCall) -> ServerReply {
        let type = status == 429 ? "rate_limit_error" : "invalid_request_error"
        let error =
            call.path == "/v1/messages"
            ? #"{"type":"error","error":{"type":"\#(type)","message":"\#(refusedBecause)"},"request_id":"req_1"}"#
            : #"{"error":{"message":"\#(refusedBecause)","type":"\#(type)","param":null,"code":"\#(status == 429 ? "rate_limit_exceeded" : "invalid_value")"}}"#
        return .text(
            status, error, type: "application/json", fields: status == 429 ? [.retryAfter: "7"] : [:])
    }

    private static func json(_ text: String) -> ServerReply { .text(200, text, type: "application/json") }

    private static func events(_ data: [String]) -> ServerReply {
        .text(200, OpenAIBench.events(data), type: "text/event-stream")
    }

    /// A file with one line of a batch's results.
    private func lines(_ members: String) -> ServerReply {
        .text(
            200, #"{"id":"r","custom_id":"\#(requestID.uuidString.lowercased())",\#(members)}"# + "\n",
            type: "application/octet-stream")
    }

    // MARK: OpenAI

    private static let chatUsage =
        #"{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,"prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":2}}"#

    private static func chat(_ body: ParameterValue) -> String {
        let (message, finish) =
            if body[member: "tools"] != nil {
                (
                    #""content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Córdoba\"}"}}]"#,
                    "tool_calls"
                )
            } else if body[member: "response_format"] != nil {
                (#""content":"{\"city\":\"Paris\"}""#, "stop")
            } else {
                (#""content":"Hello""#, "stop")
            }
        return
            #"{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"gpt-6-luna","choices":[{"index":0,"message":{"role":"assistant","refusal":null,\#(message)},"finish_reason":"\#(finish)","logprobs":null}],"usage":\#(chatUsage)}"#
    }

    private static let chatStream =
        [#"{"role":"assistant","content":""}"#, #"{"content":"Grüß "}"#, #"{"content":"🌍"}"#].map {
            #"{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-6-luna","choices":[{"index":0,"delta":\#($0),"finish_reason":null}],"usage":null}"#
        } + [
            #"{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-6-luna","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}"#,
            #"{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-6-luna","choices":[],"usage":\#(chatUsage)}"#,
            "[DONE]",
        ]

    /// The model's reasoning, encrypted if the call asks for that.
    private static func reasoning(_ body: ParameterValue) -> String {
        let isAsked = body[member: "include"]?.elements.contains("reasoning.encrypted_content") == true
        return
            #"{"type":"reasoning","id":"rs_1","summary":[]\#(isAsked ? #","encrypted_content":"c2VjcmV0""# : ""),"status":"completed"}"#
    }
    private static let call =
        #"{"type":"function_call","id":"fc_1","call_id":"call_1","name":"weather","arguments":"{\"city\":\"Córdoba\"}","status":"completed"}"#

    private static func answer(_ text: String, status: String = "completed") -> String {
        #"{"type":"message","id":"msg_1","status":"\#(status)","role":"assistant","phase":"final_answer","content":[{"type":"output_text","text":"\#(text)","annotations":[],"logprobs":[]}]}"#
    }

    private static func response(_ output: [String], status: String = "completed") -> String {
        #"{"id":"resp_1","object":"response","created_at":1,"model":"gpt-6-luna","status":"\#(status)","error":null,"incomplete_details":null,"instructions":null,"metadata":{},"parallel_tool_calls":true,"temperature":1.0,"tool_choice":"auto","tools":[],"top_p":1.0,"output":[\#(output.joined(separator: ","))],"usage":\#(status == "completed" ? #"{"input_tokens":9,"output_tokens":4,"total_tokens":13,"input_tokens_details":{"cached_tokens":3},"output_tokens_details":{"reasoning_tokens":2}}"# : "null")}"#
    }

    private static func firstTurn(_ body: ParameterValue) -> String { response([reasoning(body), call]) }

    private static let responseStream: String = {
        let part = #""item_id":"msg_1","output_index":0,"content_index":0"#
        let events = [
            ("response.created", #""response":\#(response([], status: "in_progress"))"#),
            ("response.in_progress", #""response":\#(response([], status: "in_progress"))"#),
            (
                "response.output_item.added",
                #""output_index":0,"item":{"type":"message","id":"msg_1","status":"in_progress","role":"assistant","content":[]}"#
            ),
            (
                "response.content_part.added",
                "\(part),\"part\":{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[],\"logprobs\":[]}"
            ),
            ("response.output_text.delta", "\(part),\"delta\":\"Grüß \",\"logprobs\":[]"),
            ("response.output_text.delta", "\(part),\"delta\":\"🌍\",\"logprobs\":[]"),
            ("response.output_text.done", "\(part),\"text\":\"Grüß 🌍\",\"logprobs\":[]"),
            (
                "response.content_part.done",
                "\(part),\"part\":{\"type\":\"output_text\",\"text\":\"Grüß 🌍\",\"annotations\":[],\"logprobs\":[]}"
            ),
            ("response.output_item.done", #""output_index":0,"item":\#(answer("Grüß 🌍"))"#),
            ("response.completed", #""response":\#(response([answer("Grüß 🌍")]))"#),
        ]
        return events.enumerated().map { number, event in
            "event: \(event.0)\ndata: {\"type\":\"\(event.0)\",\"sequence_number\":\(number),\(event.1)}\n\n"
        }.joined()
    }()

    private static func vectors(_ body: ParameterValue) -> String {
        let bytes = [Float(0.5), -1.25].reduce(into: Data()) { data, value in
            withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) }
        }
        let isEncoded = body[member: "encoding_format"] == "base64"
        let vector = isEncoded ? "\"\(bytes.base64EncodedString())\"" : "[0.5,-1.25]"
        return
            #"{"object":"list","data":[{"object":"embedding","index":0,"embedding":\#(vector)}],"model":"text-embedding-3-small","usage":{"prompt_tokens":5,"total_tokens":5}}"#
    }

    private static func batch(_ status: String) -> String {
        #"{"id":"batch_1","object":"batch","endpoint":"/v1/chat/completions","input_file_id":"file_in","completion_window":"24h","created_at":1,"status":"\#(status)","output_file_id":"out","error_file_id":"err","request_counts":{"total":1,"completed":1,"failed":0}}"#
    }

    // MARK: Anthropic

    private static let message =
        #"{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"Good "},{"type":"text","text":"day"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":4}}"#

    private func messageBatch(_ status: String, _ call: ReceivedCall) -> String {
        let base = "http://\(call.field("host") ?? "127.0.0.1")"
        return
            #"{"id":"batch_1","type":"message_batch","processing_status":"\#(status)","request_counts":{"processing":0,"succeeded":1,"errored":0,"canceled":0,"expired":0},"created_at":"2026-11-27T00:00:00Z","expires_at":"2026-11-28T00:00:00Z","ended_at":null,"archived_at":null,"cancel_initiated_at":null,"results_url":"\#(base)/v1/messages/batches/batch_1/results"}"#
    }
}
#endif
