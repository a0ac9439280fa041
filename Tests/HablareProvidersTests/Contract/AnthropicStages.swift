import Foundation
import HTTPTypes
import Hablare
import HablareTestKit
import HablareTestServers

@testable import HablareProviders

/// Anthropic's provider in both of its forms, with a server that follows the messages API.
enum AnthropicStages {
    static let all = [messages, structured]

    static let messages = stage(
        "anthropic messages", .text, modes: ProviderMode.allCases, form: .text, parameters: [:],
        content: { .text(Body(words($0))) }, text: { words($0) })

    static let structured = stage(
        "anthropic messages, structured", .structured, modes: [.whole], form: .structured,
        parameters: ["schema": ["type": "object"]],
        content: { .structured(["quokka": .string(ProviderContract.text(of: $0))]) },
        text: { #"{\"quokka\":\"\#(ProviderContract.text(of: $0))\"}"# })

    private static func stage(
        _ name: String, _ type: ContentType, modes: [ProviderMode], form: AnswerForm,
        parameters: [String: ParameterValue], content: @escaping @Sendable (Int) -> ResponseContent,
        text: @escaping @Sendable (Int) -> String
    ) -> HTTPStage {
        let now = InternetDate.known("2026-11-22T13:00:00Z")
        return HTTPStage(
            name: name, responseType: type, modes: modes, yieldingModes: form == .text ? modes : [],
            parameters: parameters, usage: Usage(inputTokens: 11, outputTokens: 7),
            limits: ReportedLimits(
                requests: ReportedLimits.Quota(perMinute: 50, remaining: 49, resetsAfter: .seconds(30))),
            fields: [
                .init("anthropic-ratelimit-requests-limit"): "50",
                .init("anthropic-ratelimit-requests-remaining"): "49",
                .init("anthropic-ratelimit-requests-reset"): "2026-11-22T13:00:30Z", .init("request-id"): "req_1",
            ], mostGathered: 4 << 20, signs: signs,
            make: { address, transport, key, model in
                let service = AnthropicService(
                    address: address, transport: transport, key: { () throws(AIServiceError) in key }, date: { now })
                return AnthropicMessagesProvider(service: service, form: form, model: model)
            }, answer: content,
            recording: { number, _ in
                let said = text(number)
                let beginning = start + delta(String(said.prefix(9)))
                return .events(beginning + delta(String(said.dropFirst(9))) + end, pause: beginning.utf8.count)
            },
            more: { _ in Data(String(repeating: delta(String(repeating: "a", count: 2000)), count: 30).utf8) },
            endless: { _, _ in Data(start.utf8) }, refusals: refusals,
            mistakes: [
                (200, "text/html", "<html>Log in</html>"), (200, "application/json", #"{"a":1}"#), (204, "", ""),
                (200, "text/event-stream", event("message_start", "<html>")),
                (200, "text/event-stream", event("content_block_delta", #"{"type":"content_block_delta","index":0}"#)),
                (200, "text/event-stream", start + event("message_stop", #"{"type":"message_stop"}"#)),
            ],
            ownRepetitions: [
                { said in .text(200, event("error", HTTPStage.quoted(said)), type: "text/event-stream") },
                { said in .text(200, event("message_start", said), type: "text/event-stream") },
                { said in
                    .text(
                        200, start + delta("x") + event("error", error(HTTPStage.key, said)), type: "text/event-stream")
                },
                { said in .text(200, event(HTTPStage.key, said), type: "text/event-stream") },
            ])
    }

    // MARK: The stream

    private static func words(_ number: Int) -> String { "A quokka \(ProviderContract.text(of: number))." }

    private static func event(_ type: String, _ json: String) -> String { "event: \(type)\ndata: \(json)\n\n" }

    private static func delta(_ text: String) -> String {
        event(
            "content_block_delta",
            #"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\#(text)"}}"#)
    }

    private static let start =
        event(
            "message_start",
            #"{"type":"message_start","message":{"model":"m","usage":{"input_tokens":11,"output_tokens":1}}}"#)
        + event(
            "content_block_start",
            #"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#)

    private static let end =
        event(
            "message_delta",
            #"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}"#)
        + event("message_stop", #"{"type":"message_stop"}"#)

    /// A model that thinks, and then writes the arguments of a tool.
    private static let signs = [
        event("message_start", #"{"type":"message_start","message":{"model":"m","usage":{"input_tokens":11}}}"#),
        event("ping", #"{"type":"ping"}"#),
        block(0, #"{"type":"thinking","thinking":"","signature":""}"#),
        piece(0, #"{"type":"thinking_delta","thinking":"hm"}"#),
        piece(0, #"{"type":"signature_delta","signature":"a"}"#),
        block(1, #"{"type":"tool_use","id":"t","name":"f","input":{}}"#),
        piece(1, #"{"type":"input_json_delta","partial_json":"{"}"#), event("tomorrow", "{}"),
    ]

    private static func block(_ index: Int, _ block: String) -> String {
        event(
            "content_block_start", #"{"type":"content_block_start","index":\#(index),"content_block":\#(block)}"#)
    }

    private static func piece(_ index: Int, _ delta: String) -> String {
        event("content_block_delta", #"{"type":"content_block_delta","index":\#(index),"delta":\#(delta)}"#)
    }

    // MARK: Refusals

    private static func error(_ type: String, _ said: String, details code: String? = nil) -> String {
        let details = code.map { #","details":{"error_code":"\#($0)"}"# } ?? ""
        return #"{"type":"error","error":{"type":"\#(type)","message":"\#(said)"\#(details)}}"#
    }

    private static func refusal(
        _ status: Int, _ type: String, _ expected: AIServiceError.Code, _ disposition: FailureDisposition? = nil,
        code: String? = nil, retryAfter: String? = nil
    ) -> HTTPStage.Refusal {
        HTTPStage.Refusal(row: ProviderFailureRow("\(status) \(code ?? type)", expected, disposition)) { said in
            var fields = HTTPFields()
            fields[.retryAfter] = retryAfter
            return .text(status, error(type, said, details: code), type: "application/json", fields: fields)
        }
    }

    private static let refusals: [HTTPStage.Refusal] = [
        refusal(400, "invalid_request_error", .invalidRequest), refusal(401, "authentication_error", .unauthorized),
        refusal(402, "billing_error", .quotaExceeded), refusal(403, "permission_error", .unauthorized),
        refusal(404, "not_found_error", .invalidRequest), refusal(413, "request_too_large", .invalidRequest),
        refusal(429, "rate_limit_error", .rateLimited, .retry(after: .seconds(3)), retryAfter: "3"),
        refusal(429, "rate_limit_error", .quotaExceeded, code: "enforced_spend_limit_reached"),
        refusal(403, "permission_error", .unauthorized, code: "organization_on_hold"),
        refusal(403, "permission_error", .invalidConfiguration, code: "cmek_key_disabled"),
        refusal(500, "api_error", .overloaded), refusal(504, "timeout_error", .overloaded),
        refusal(529, "overloaded_error", .overloaded, .retry(after: .seconds(9)), retryAfter: "9"),
        HTTPStage.Refusal(row: ProviderFailureRow("400 and too low a balance", .quotaExceeded)) { said in
            .text(
                400, error("invalid_request_error", "Your credit balance is too low. \(said)"), type: "application/json"
            )
        },
        HTTPStage.Refusal(row: ProviderFailureRow("502 and a proxy's page", .overloaded)) { said in
            .text(502, "<html>\(said)</html>", type: "text/html")
        },
        HTTPStage.Refusal(row: ProviderFailureRow("200, and a stream that says overloaded_error", .overloaded)) {
            said in
            .text(200, event("error", error("overloaded_error", said)), type: "text/event-stream")
        },
        HTTPStage.Refusal(
            row: ProviderFailureRow("200, and overloaded_error after some thoughts", .overloaded, .outcomeUnknown)
        ) { said in
            .text(
                200, signs.prefix(4).joined() + event("error", error("overloaded_error", said)),
                type: "text/event-stream")
        },
        HTTPStage.Refusal(
            row: ProviderFailureRow("200, and overloaded_error after some text", .overloaded, .outcomeUnknown)
        ) { said in
            .text(
                200, start + delta("A ") + event("error", error("overloaded_error", said)), type: "text/event-stream")
        },
    ]
}
