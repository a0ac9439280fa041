import Foundation
import HTTPTypes
import Hablare
import HablareProviders
import HablareTestKit
import HablareTestServers

/// OpenAI's providers, each with a server that follows its API.
enum OpenAIStages {
    static let all = [chat, chatStructured, responses, responsesStructured, speech, image, embedding]

    static let chat = text("openai chat", chatAnswer, chatEvents, cutsHead: true) { service, model in
        OpenAIChatProvider("openai", service: service, model: model)
    }
    static let responses = text("openai responses", responsesAnswer, responsesEvents) { service, model in
        OpenAIResponsesProvider("openai", service: service, model: model)
    }
    static let chatStructured = structured("openai chat, structured", chatAnswer) { service, model in
        OpenAIChatProvider("openai.structured", service: service, model: model, form: .structured)
    }
    static let responsesStructured = structured("openai responses, structured", responsesAnswer) { service, model in
        OpenAIResponsesProvider("openai.structured", service: service, model: model, form: .structured)
    }

    static let speech = HTTPStage(
        name: "openai speech", responseType: .audio, yieldingModes: ProviderMode.allCases,
        usage: Usage(
            characters: Int64(ProviderContract.prompt(0).unicodeScalars.count), bytes: Int64(sound(0).count)),
        limits: limits, fields: fields,
        // Only the service knows whether complete sound was meant to end there.
        without: [.endsEarly],
        make: { make($0, $1, $2) { OpenAISpeechProvider("openai.speech", service: $0, model: $1) }($3) },
        answer: { .audio(Body(sound($0)), .mp3) },
        recording: { number, _ in HTTPStage.Recording(type: "audio/mpeg", body: sound(number)) },
        more: { _ in Data(repeating: 7, count: 64 << 10) }, refusals: refusals,
        mistakes: [
            (200, "text/html", "<html>Log in</html>"), (200, "application/json", #"{"a":1}"#), (200, "audio/mpeg", ""),
            (200, "text/event-stream", "data: {}\n\n"), (204, "", ""),
        ])

    static let image = HTTPStage(
        name: "openai image", responseType: .image, modes: [.whole],
        usage: Usage(inputTokens: 11, outputTokens: 7, bytes: Int64(picture(0).count)),
        limits: limits, fields: fields,
        // The provider accepts up to 128 MiB, which is too much to send in a test. The code is shared by all providers
        // that read a whole answer.
        without: [.neverEnds],
        make: { make($0, $1, $2) { OpenAIImageProvider("openai.image", service: $0, model: $1) }($3) },
        answer: { .image(Body(picture($0)), .png) },
        recording: { number, _ in
            .json(
                #"{"data":[{"b64_json":"\#(picture(number).base64EncodedString())"}],"usage":{"input_tokens":11,"output_tokens":7}}"#
            )
        }, more: endlessText, endless: { _, _ in Data(#"{"data":[{"b64_json":""#.utf8) }, refusals: refusals,
        mistakes: mistakes + [
            (200, "application/json", #"{"data":[]}"#), (200, "application/json", #"{"data":[{"b64_json":"AAAA"}]}"#),
            (200, "application/json", #"{"data":[{"url":"http://127.0.0.1/a.png"}]}"#),
        ])

    static let embedding = HTTPStage(
        name: "openai embedding", responseType: .embedding, modes: [.whole],
        usage: Usage(inputTokens: 11), limits: limits, fields: fields,
        mostGathered: 4 << 20,
        // The contract's server has an answer for each call. EmbeddingBatchingTests are about texts that share calls.
        make: {
            make($0, $1, $2, compatibility: OpenAICompatibility(encodesVectors: false, textsPerCall: 1)) {
                OpenAIEmbeddingProvider("openai.embedding", service: $0, model: $1)
            }($3)
        },
        answer: { .embedding([Float($0), 0.5, -1]) },
        recording: { number, _ in
            let bytes = [Float(number), 0.5, -1].reduce(into: Data()) { data, value in
                withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) }
            }
            return .json(
                #"{"data":[{"embedding":"\#(bytes.base64EncodedString())"}],"model":"m","usage":{"prompt_tokens":11}}"#)
        }, more: endlessText, endless: { _, _ in Data(#"{"data":[{"embedding":""#.utf8) }, refusals: refusals,
        mistakes: mistakes + [
            (200, "application/json", #"{"data":[]}"#), (200, "application/json", #"{"data":[{"embedding":[]}]}"#),
            (200, "application/json", #"{"data":[{"embedding":"AAA="}]}"#),
        ])

    // MARK: Text

    private typealias Answer = @Sendable (_ text: String) -> String

    private static func text(
        _ name: String, _ whole: @escaping Answer, _ events: @escaping Answer,
        cutsHead: Bool = false, _ provider: @escaping @Sendable (OpenAIService, String) -> any AIServiceProvider
    ) -> HTTPStage {
        HTTPStage(
            name: name, responseType: .text, yieldingModes: [.streamed], parameters: ["max_tokens": 100],
            usage: Usage(inputTokens: 11, outputTokens: 7), limits: limits, fields: fields,
            mostGathered: 16 << 20, signs: name.contains("chat") ? chatSigns : responsesSigns, cutsHead: cutsHead,
            make: { make($0, $1, $2, provider)($3) },
            answer: { .text(Body(words($0))) },
            recording: { number, mode in
                guard mode == .streamed else { return .json(whole(words(number))) }
                let text = events(words(number))
                return .events(text, pause: Self.end(ofEvent: 1, in: text))
            }, mode: streamed,
            more: { mode in
                guard mode == .streamed else { return endlessText(mode) }
                let text = String(repeating: "a", count: 2000)
                let event = name.contains("chat") ? chatDelta(text) : responsesDelta(text)
                return Data(String(repeating: event, count: 30).utf8)
            },
            endless: { _, mode in mode == .streamed ? Data() : Data(#"{"a":""#.utf8) },
            refusals: refusals + inStream(name.contains("chat")),
            mistakes: mistakes + [
                (200, "text/event-stream", "data: <html>\n\n"), (200, "text/event-stream", "data: 1\n\n"),
            ],
            ownRepetitions: [
                { said in .text(200, "data: \(HTTPStage.quoted(said))\n\n", type: "text/event-stream") },
                { said in .text(200, "event: error\ndata: \(HTTPStage.quoted(said))\n\n", type: "text/event-stream") },
                { said in .text(200, "data: \(said)\n\n", type: "text/event-stream") },
                { _ in .text(200, naming(HTTPStage.key, isChat: name.contains("chat")), type: "application/json") },
            ])
    }

    private static func structured(
        _ name: String, _ whole: @escaping Answer,
        _ provider: @escaping @Sendable (OpenAIService, String) -> any AIServiceProvider
    ) -> HTTPStage {
        HTTPStage(
            name: name, responseType: .structured, modes: [.whole], parameters: ["max_tokens": 100],
            usage: Usage(inputTokens: 11, outputTokens: 7), limits: limits, fields: fields,
            mostGathered: 16 << 20, make: { make($0, $1, $2, provider)($3) },
            answer: { .structured(["quokka": .string(number($0))]) },
            recording: { index, _ in .json(whole(#"{\"quokka\":\"\#(number(index))\"}"#)) }, more: endlessText,
            endless: { _, _ in Data(#"{"a":""#.utf8) }, refusals: refusals,
            mistakes: mistakes + [(200, "application/json", whole(""))],
            ownRepetitions: [{ said in .text(200, whole(said), type: "application/json") }])
    }

    private static let chatAnswer: Answer = { text in
        #"{"id":"c","model":"m","choices":[{"message":{"content":"\#(text)"},"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":7}}"#
    }
    private static let chatEvents: Answer = { text in
        chatDelta(String(text.prefix(9)))
            + #"data: {"choices":[{"delta":{"content":"\#(text.dropFirst(9))"},"finish_reason":"stop"}]}"# + "\n\n"
            + #"data: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7}}"# + "\n\ndata: [DONE]\n\n"
    }
    private static func chatDelta(_ text: String) -> String {
        #"data: {"choices":[{"delta":{"content":"\#(text)"}}]}"# + "\n\n"
    }

    /// Returns an answer with a word in each member of the service's own.
    private static func naming(_ word: String, isChat: Bool) -> String {
        let rest =
            isChat
            ? #""choices":[{"message":{"content":"x"},"finish_reason":"\#(word)"}]"#
            : #""status":"incomplete","incomplete_details":{"reason":"\#(word)"}"#
        return #"{"id":"\#(word)","model":"\#(word)",\#(rest)}"#
    }

    private static let responsesAnswer: Answer = { text in
        #"{"id":"r","model":"m","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"\#(text)"}]}],"usage":{"input_tokens":11,"output_tokens":7}}"#
    }
    private static let responsesEvents: Answer = { text in
        responsesDelta(String(text.prefix(9))) + responsesDelta(String(text.dropFirst(9)))
            + "data: {\"type\":\"response.completed\",\"response\":\(responsesAnswer(text))}\n\n"
    }
    private static func responsesDelta(_ text: String) -> String {
        #"data: {"type":"response.output_text.delta","delta":"\#(text)"}"# + "\n\n"
    }

    private static let chatSigns = [
        #"{"choices":[{"delta":{"role":"assistant"}}]}"#, #"{"choices":[]}"#,
        #"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}}]}"#,
    ].map { "data: \($0)\n\n" }
    private static let responsesSigns = [
        #"{"type":"response.created","response":{"id":"r","status":"in_progress"}}"#,
        #"{"type":"response.reasoning_summary_text.delta","delta":"hm"}"#, #"{"type":"response.new"}"#,
        #"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"x"}}"#,
    ].map { "data: \($0)\n\n" }

    private static func end(ofEvent count: Int, in text: String) -> Int {
        text.components(separatedBy: "\n\n").prefix(count).reduce(0) { $0 + $1.utf8.count + 2 }
    }

    private static let streamed: @Sendable (ReceivedCall) -> ProviderMode = { call in
        String(decoding: call.body, as: UTF8.self).contains(#""stream":true"#) ? .streamed : .whole
    }

    // MARK: Common parts

    private static func make(
        _ address: ServiceAddress, _ transport: any HTTPTransport, _ key: APIKey,
        compatibility: OpenAICompatibility? = nil,
        _ provider: @escaping @Sendable (OpenAIService, String) -> any AIServiceProvider
    ) -> (String) -> any AIServiceProvider {
        { model in
            provider(
                OpenAIService(
                    address, transport: transport, key: { () throws(AIServiceError) in key },
                    compatibility: compatibility, isCharged: true, concurrency: 256), model)
        }
    }

    private static func number(_ number: Int) -> String { ProviderContract.text(of: number) }
    private static func words(_ index: Int) -> String { "A quokka \(number(index))." }
    private static func sound(_ index: Int) -> Data { Data("ID3 a quokka \(number(index)) sings".utf8) }
    private static func picture(_ index: Int) -> Data {
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data("quokka \(number(index))".utf8)
    }
    private static let endlessText: @Sendable (ProviderMode) -> Data = { _ in
        Data(repeating: UInt8(ascii: "A"), count: 64 << 10)
    }

    private static let fields: HTTPFields = [
        .init("x-ratelimit-limit-requests"): "600", .init("x-ratelimit-remaining-requests"): "599",
        .init("x-ratelimit-reset-requests"): "100ms", .init("x-request-id"): "req-1",
    ]
    private static let limits = ReportedLimits(
        requests: ReportedLimits.Quota(perMinute: 600, remaining: 599, resetsAfter: .milliseconds(100)))

    private static let mistakes: [(status: Int, type: String, body: String)] = [
        (200, "text/html", "<html>Log in</html>"), (200, "application/json", "<html>"), (200, "application/json", ""),
        (200, "application/json", "[]"), (200, "application/json", #"{"a":1}"#), (200, "application/json", "null"),
        (200, "", #"{"a":1}"#), (204, "", ""),
    ]

    private static func inStream(_ isChat: Bool) -> [HTTPStage.Refusal] {
        let error =
            isChat
            ? #"{"error":{"code":"server_error","message":""# : #"{"type":"error","code":"server_error","message":""#
        func refusal(
            _ name: String, behind begun: String = "", _ disposition: FailureDisposition? = nil
        ) -> HTTPStage.Refusal {
            HTTPStage.Refusal(row: ProviderFailureRow(name, .overloaded, disposition)) { said in
                .text(200, "\(begun)data: \(error)\(said)\"\(isChat ? "}}" : "}")\n\n", type: "text/event-stream")
            }
        }
        let late = (isChat ? chatBeginnings : responsesBeginnings).map { begun in
            refusal("200, and server_error after \(begun)", behind: "data: \(begun)\n\n", .outcomeUnknown)
        }
        return [refusal("200, and a stream that says server_error")] + late
    }

    /// A model that thinks, or writes the arguments of a tool. This is billed, although it is not shown.
    private static let chatBeginnings = [
        #"{"choices":[{"delta":{"reasoning_content":"hm"}}]}"#, #"{"choices":[{"delta":{"reasoning":"hm"}}]}"#,
        #"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}}]}"#,
    ]
    private static let responsesBeginnings = [
        #"{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"x"}}"#,
        #"{"type":"response.reasoning_summary_text.delta","delta":"hm"}"#,
        #"{"type":"response.function_call_arguments.delta","delta":"{"}"#,
    ]

    private static func refusal(
        _ status: Int, _ code: String, _ expected: AIServiceError.Code, _ disposition: FailureDisposition? = nil,
        _ fields: HTTPFields = [:]
    ) -> HTTPStage.Refusal {
        HTTPStage.Refusal(row: ProviderFailureRow("\(status) \(code)", expected, disposition)) { said in
            .text(
                status, #"{"error":{"message":"\#(said)","type":"\#(code)","param":"\#(said)","code":"\#(code)"}}"#,
                type: "application/json", fields: fields)
        }
    }

    static let refusals = [
        refusal(400, "invalid_value", .invalidRequest), refusal(400, "context_length_exceeded", .invalidRequest),
        refusal(401, "invalid_api_key", .unauthorized), refusal(403, "permission_denied", .unauthorized),
        refusal(404, "model_not_found", .invalidConfiguration, .fail), refusal(408, "timeout", .overloaded),
        refusal(409, "conflict", .overloaded), refusal(413, "too_large", .invalidRequest),
        refusal(422, "unprocessable", .invalidRequest),
        refusal(429, "rate_limit_exceeded", .rateLimited, .retry(after: .seconds(2)), [.init("retry-after"): "2"]),
        refusal(
            429, "rate_limit_exceeded", .rateLimited, .retry(after: .milliseconds(120)),
            [.init("retry-after-ms"): "120"]),
        refusal(429, "slow_down", .rateLimited, .retry(after: .seconds(30))),
        refusal(429, "insufficient_quota", .quotaExceeded), refusal(429, "credit_balance_exhausted", .quotaExceeded),
        refusal(429, "organization_spend_limit_exceeded", .quotaExceeded),
        refusal(429, "project_spend_limit_exceeded", .quotaExceeded),
        refusal(429, "organization_usage_limit_exceeded", .quotaExceeded), refusal(500, "server_error", .overloaded),
        refusal(502, "bad_gateway", .overloaded),
        refusal(503, "server_is_overloaded", .overloaded, .retry(after: .seconds(7)), [.init("retry-after"): "7"]),
        refusal(504, "timeout", .overloaded),
        HTTPStage.Refusal(row: ProviderFailureRow("502 and a proxy's page", .overloaded)) { said in
            .text(502, "<html>\(said)</html>", type: "text/html")
        },
        HTTPStage.Refusal(row: ProviderFailureRow("302 to another scheme", .invalidConfiguration)) { _ in
            .head(302, fields: [.location: "ftp://127.0.0.1/"])
        },
    ]
}
