import Foundation
import HTTPTypes
import Hablare
import Testing

@testable import HablareProviders

/// The table of failures: the errors of OpenAI and of compatible servers, and their dispositions.
@Suite struct OpenAIFailureTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var status: Int
        var body: String
        var code: AIServiceError.Code
        var disposition: FailureDisposition
        var says = ""
        var fields: HTTPFields = [:]

        var testDescription: String { "\(status) \(body.prefix(60)) → \(code)" }
    }

    private static func error(_ code: String?, type: String? = nil, message: String = "No.", param: String? = nil)
        -> String
    {
        let texts = [code, type, message, param].map { $0.map { "\"\($0)\"" } ?? "null" }
        return
            "{\"error\":{\"code\":\(texts[0]),\"type\":\(texts[1]),\"message\":\(texts[2]),\"param\":\(texts[3])}}"
    }

    static let quota = [
        "insufficient_quota", "credit_balance_exhausted", "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded", "organization_usage_limit_exceeded", "billing_hard_limit_reached",
        "billing_not_active",
    ]

    static let table: [Row] =
        quota.map {
            Row(status: 429, body: error($0, type: "insufficient_quota"), code: .quotaExceeded, disposition: .needsUser)
        }
        + [
            Row(
                status: 429, body: error(nil, type: "insufficient_quota"), code: .quotaExceeded,
                disposition: .needsUser, says: "no credit left"),
            Row(
                status: 429, body: error("project_spend_limit_exceeded"), code: .quotaExceeded, disposition: .needsUser,
                says: "spending limit"),
            Row(
                status: 429, body: error("rate_limit_exceeded", type: "requests"), code: .rateLimited,
                disposition: .retry(after: nil)),
            Row(
                status: 429, body: error("rate_limit_exceeded"), code: .rateLimited,
                disposition: .retry(after: .seconds(7)),
                fields: [.retryAfter: "7"]),
            Row(
                status: 429, body: error("slow_down"), code: .rateLimited,
                disposition: .retry(after: OpenAIDialect.slowDown)),
            Row(
                status: 503, body: error("slow_down"), code: .rateLimited, disposition: .retry(after: .seconds(90)),
                fields: [.retryAfter: "90"]),
            Row(
                status: 429,
                body: error(
                    "rate_limit_exceeded", type: "tokens",
                    message:
                        "Request too large for gpt-4o in organization org-12345678 on tokens per min (TPM): Limit 30000, Requested 34567."
                ), code: .invalidRequest, disposition: .fail, says: "30000, 34567)"),
            Row(status: 429, body: "", code: .rateLimited, disposition: .retry(after: nil)),
            Row(
                status: 503, body: error("server_is_overloaded"), code: .overloaded, disposition: .retry(after: nil),
                says: "overloaded"),
            Row(
                status: 500, body: error(nil, type: "server_error"), code: .overloaded, disposition: .retry(after: nil)),
            Row(status: 502, body: "<html>Bad gateway</html>", code: .overloaded, disposition: .retry(after: nil)),
            Row(status: 504, body: "", code: .overloaded, disposition: .retry(after: nil)),
            Row(status: 408, body: "", code: .overloaded, disposition: .retry(after: nil)),
            Row(status: 409, body: error("conflict"), code: .overloaded, disposition: .retry(after: nil)),
            Row(status: 401, body: error("invalid_api_key"), code: .unauthorized, disposition: .needsUser, says: "key"),
            Row(status: 403, body: error(nil), code: .unauthorized, disposition: .needsUser),
            Row(
                status: 403, body: error("unsupported_country_region_territory", type: "request_forbidden"),
                code: .unauthorized, disposition: .needsUser, says: "country"),
            Row(
                status: 400,
                body: error("unsupported_value", message: "Your organization must be verified to stream this model."),
                code: .unauthorized, disposition: .needsUser, says: "verified"),
            Row(status: 402, body: "{}", code: .quotaExceeded, disposition: .needsUser),
            Row(
                status: 404, body: error("model_not_found"), code: .invalidConfiguration, disposition: .fail,
                says: "model"),
            Row(
                status: 404, body: #"{"error":"model \"mole\" not found, try pulling it first"}"#,
                code: .invalidConfiguration, disposition: .fail, says: "does not have this model"),
            Row(status: 404, body: "page not found", code: .invalidRequest, disposition: .fail, says: "base URL"),
            Row(status: 400, body: error("model_not_found"), code: .invalidConfiguration, disposition: .fail),
            Row(
                status: 400,
                body: error(
                    "context_length_exceeded",
                    message:
                        "This model's maximum context length is 4097 tokens. However, you requested 4203 tokens (3703 in the messages, 500 in the completion)."
                ), code: .invalidRequest, disposition: .fail,
                says: "(OpenAI names these numbers: 4097, 4203, 3703, 500)"),
            Row(
                status: 400, body: error("context_length_exceeded"), code: .invalidRequest, disposition: .fail,
                says: "than the model accepts. Shorten"),
            Row(
                status: 400,
                body:
                    #"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}"#,
                code: .invalidRequest, disposition: .fail, says: "14429, 8192"),
            Row(
                status: 500,
                body:
                    #"{"error":{"code":500,"message":"x","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}"#,
                code: .invalidRequest, disposition: .fail, says: "1407, 256"),
            Row(
                status: 400,
                body:
                    #"{"object":"error","message":"You passed 1,015 input tokens. However, the model's context length is only 1024 tokens. (parameter=input_tokens, value=9999)","type":"BadRequestError","param":null,"code":400}"#,
                code: .invalidRequest, disposition: .fail, says: "1015, 1024)"),
            Row(
                status: 400, body: error("unsupported_parameter", param: "max_tokens"), code: .invalidRequest,
                disposition: .fail, says: "request's max_tokens"),
            Row(
                status: 400, body: error("invalid_type", param: "messages[0].content"), code: .invalidRequest,
                disposition: .fail, says: "messages[0].content"),
            Row(
                status: 400, body: error("invalid_value", param: "my secret diary"), code: .invalidRequest,
                disposition: .fail, says: "a parameter"),
            Row(
                status: 400, body: error("content_policy_violation"), code: .invalidRequest, disposition: .fail,
                says: "content rules"),
            Row(status: 400, body: error(nil), code: .invalidRequest, disposition: .fail),
            Row(status: 413, body: "", code: .invalidRequest, disposition: .fail, says: "too large"),
            Row(status: 422, body: #"{"detail":[{"msg":"x"}]}"#, code: .invalidRequest, disposition: .fail),
            Row(
                status: 503, body: #"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#,
                code: .overloaded, disposition: .retry(after: nil)),
            Row(status: 302, body: "", code: .invalidConfiguration, disposition: .needsUser),
        ]

    @Test("A refusal has its code, its disposition and a message of the library", arguments: table)
    func row(_ row: Row) {
        let error = OpenAIDialect().failure(
            for: ServiceRefusal(
                status: row.status, fields: row.fields, body: Data(row.body.utf8), now: OpenAIBench.now))
        #expect(error.code == row.code && error.disposition == row.disposition, "\(error)")
        #expect(row.says.isEmpty || error.message.contains(row.says), "\(error)")
        #expect(error.cause?.hasPrefix("status \(row.status)") == true)
    }

    @Test("An error contains only the service's codes and numbers, and none of its other words", arguments: table)
    func discreet(_ row: Row) throws {
        let secret = "the duchess of Nowhere, sk-live-abcdefghijklmnop, 4111 1111"
        let body = row.body.replacingOccurrences(of: "\"message\":\"", with: "\"message\":\"\(secret) ")
        let error = OpenAIDialect().failure(
            for: ServiceRefusal(status: row.status, fields: row.fields, body: Data(body.utf8), now: OpenAIBench.now))
        for word in ["duchess", "Nowhere", "sk-live", "diary", "org-12345678", "mole", "9999"] {
            #expect(!"\(error) \(error.cause ?? "")".contains(word))
        }
    }

    @Test(
        "An error in an answer has the status that it would have on its own",
        arguments: [
            (#"{"code":"server_error","message":"x"}"#, .overloaded, .retry(after: nil)),
            (#"{"type":"server_error"}"#, .overloaded, .retry(after: nil)),
            (#"{"code":"rate_limit_exceeded"}"#, .rateLimited, .retry(after: nil)),
            (#"{"code":"server_is_overloaded"}"#, .overloaded, .retry(after: nil)),
            (#"{"code":"insufficient_quota"}"#, .quotaExceeded, .needsUser),
            (#"{"code":"invalid_prompt"}"#, .invalidRequest, .fail),
            (#"{"code":"image_too_large"}"#, .invalidRequest, .fail),
            (#"{"code":"context_length_exceeded"}"#, .invalidRequest, .fail),
            (#"{"type":"invalid_request_error"}"#, .invalidRequest, .fail),
            (#"{"code":500,"message":"x","type":"InternalServerError"}"#, .overloaded, .retry(after: nil)),
            (#"{"code":400,"message":"x","type":"BadRequestError"}"#, .invalidRequest, .fail),
            (#""something broke""#, .overloaded, .retry(after: nil)), ("{}", .overloaded, .retry(after: nil)),
        ] as [(String, AIServiceError.Code, FailureDisposition)])
    func inAnswer(text: String, code: AIServiceError.Code, disposition: FailureDisposition) throws {
        let dialect = OpenAIDialect()
        let error = dialect.failure(inAnswer: try .literal(text), hasBegun: false, now: OpenAIBench.now)
        #expect(error.code == code && error.disposition == disposition)
        let late = dialect.failure(inAnswer: try .literal(text), hasBegun: true, now: OpenAIBench.now)
        let isAgain = if case .retry = disposition { true } else { false }
        #expect(late.code == code && late.disposition == (isAgain ? .outcomeUnknown : disposition))
        #expect(error.billing == nil && late.billing == .maybeBilled)
    }

    @Test("The key goes to the service and into no error", arguments: [401, 429, 500])
    func key(status: Int) async throws {
        let outcome = try await OpenAIBench().call(AIRequest(prompt: "hello")) { call in
            OpenAIBench.json(
                #"{"error":{"message":"Incorrect API key provided: \#(OpenAIBench.key)"}}"#, status: status)
        } _: {
            OpenAIBench.chat()($0)
        }
        let call = try #require(outcome.calls.first)
        #expect(call.secrets[.authorization] == "Bearer \(OpenAIBench.key)" && call.fields[.authorization] == nil)
        let error = try #require(outcome.error)
        #expect(!"\(error) \(error.cause ?? "")".contains("0123456789"))
    }
}
