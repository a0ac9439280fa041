import Foundation
import HTTPTypes
import Hablare
import Testing

@testable import HablareProviders

@Suite struct AnthropicDialectTests {
    private let dialect = AnthropicDialect()
    private let now = AnthropicBench.now

    private func refusal(
        _ status: Int, type: String? = nil, code: String? = nil, message: String = "secret prompt",
        fields: [String: String] = [:]
    ) -> ServiceRefusal {
        let details = code.map { #","details":{"error_code":"\#($0)"}"# } ?? #","details":null"#
        let body = type.map {
            #"{"type":"error","error":{"type":"\#($0)","message":"\#(message)"\#(details)},"request_id":"req_1"}"#
        }
        return ServiceRefusal(
            status: status, fields: HTTPFields(naming: fields), body: Data((body ?? "<html>secret</html>").utf8),
            now: now)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var status: Int
        var type: String?
        var code: String?
        var expected: AIServiceError.Code
        var disposition: FailureDisposition
        var fields: [String: String] = [:]
        var testDescription: String { "\(status) \(type ?? "") \(code ?? "")" }
    }

    static let rows: [Row] = [
        Row(status: 400, type: "invalid_request_error", expected: .invalidRequest, disposition: .fail),
        Row(status: 401, type: "authentication_error", expected: .unauthorized, disposition: .needsUser),
        Row(status: 402, type: "billing_error", expected: .quotaExceeded, disposition: .needsUser),
        Row(
            status: 402, type: "billing_error", code: "linked_organization_billing_unavailable",
            expected: .quotaExceeded, disposition: .needsUser),
        Row(status: 403, type: "permission_error", expected: .unauthorized, disposition: .needsUser),
        Row(status: 404, type: "not_found_error", expected: .invalidRequest, disposition: .fail),
        Row(status: 413, type: "request_too_large", expected: .invalidRequest, disposition: .fail),
        Row(
            status: 429, type: "rate_limit_error", expected: .rateLimited, disposition: .retry(after: .seconds(7)),
            fields: ["retry-after": "7"]),
        // Without `retry-after` it is still a rate limit, unless the error is about money.
        Row(status: 429, type: "rate_limit_error", expected: .rateLimited, disposition: .retry(after: nil)),
        Row(
            status: 429, type: "rate_limit_error", code: "ramp_limit_exceeded", expected: .rateLimited,
            disposition: .retry(after: nil)),
        Row(
            status: 429, type: "rate_limit_error", code: "enforced_spend_limit_reached", expected: .quotaExceeded,
            disposition: .needsUser),
        Row(
            status: 429, type: "rate_limit_error", code: "contract_spend_limit_reached", expected: .quotaExceeded,
            disposition: .needsUser),
        Row(status: 500, type: "api_error", expected: .overloaded, disposition: .retry(after: nil)),
        Row(status: 503, code: nil, expected: .overloaded, disposition: .retry(after: nil)),
        Row(status: 504, type: "timeout_error", expected: .overloaded, disposition: .retry(after: nil)),
        Row(
            status: 529, type: "overloaded_error", expected: .overloaded, disposition: .retry(after: .seconds(3)),
            fields: ["retry-after": "3"]),
        Row(
            status: 400, type: "invalid_request_error", code: "organization_on_hold", expected: .unauthorized,
            disposition: .needsUser),
        Row(
            status: 400, type: "invalid_request_error", code: "cmek_key_disabled", expected: .invalidConfiguration,
            disposition: .needsUser),
        Row(
            status: 503, type: "api_error", code: "cmek_key_unreachable", expected: .overloaded,
            disposition: .retry(after: nil)),
        Row(status: 502, expected: .overloaded, disposition: .retry(after: nil)),
    ]

    @Test("Each failure has its code and disposition, and reveals nothing of the prompt", arguments: rows)
    func table(row: Row) {
        let error = dialect.failure(for: refusal(row.status, type: row.type, code: row.code, fields: row.fields))
        #expect(error.code == row.expected)
        #expect(error.disposition == row.disposition)
        #expect(error.cause?.hasPrefix("status \(row.status)") == true)
        #expect(!"\(error) \(error.cause ?? "")".contains("secret"))
    }

    @Test func `An account without credit is told apart from a wrong request, though its status is the same`() {
        let error = dialect.failure(
            for: refusal(
                400, type: "invalid_request_error",
                message: "Your credit balance is too low to access the Anthropic API."))
        #expect(error.code == .quotaExceeded && error.disposition == .needsUser)
    }

    @Test(
        "An error in a stream is retried before any output, and has an unknown outcome afterwards",
        arguments: ["overloaded_error", "api_error", "rate_limit_error", "timeout_error", "one_of_tomorrow"])
    func inStream(type: String) {
        let data: ParameterValue = ["type": .string(type), "message": "secret"]
        let early = dialect.failure(inStream: data, hasBegun: false, fields: [:], now: now)
        #expect(early.disposition == .retry(after: nil))
        let late = dialect.failure(inStream: data, hasBegun: true, fields: [:], now: now)
        #expect(late.disposition == .outcomeUnknown && late.code == early.code)
        #expect(early.billing == nil && late.billing == .maybeBilled)
        #expect(!"\(late) \(late.cause ?? "")".contains("secret"))
    }

    @Test func `What a stream's error says of money or of the request stays what it is, and may be billed afterwards`()
    {
        let rows: [(String, FailureDisposition)] = [
            ("billing_error", .needsUser), ("permission_error", .needsUser), ("authentication_error", .needsUser),
            ("invalid_request_error", .fail), ("request_too_large", .fail),
        ]
        for (type, disposition) in rows {
            let data: ParameterValue = ["type": .string(type), "message": ""]
            let early = dialect.failure(inStream: data, hasBegun: false, fields: [:], now: now)
            #expect(early.disposition == disposition && early.billing == nil)
            let late = dialect.failure(inStream: data, hasBegun: true, fields: [:], now: now)
            #expect(late.disposition == disposition && late.code == early.code && late.billing == .maybeBilled)
        }
    }

    // MARK: Limits

    @Test func `Limits are read with the dates at which they are full again`() {
        let fields = HTTPFields(naming: [
            "anthropic-ratelimit-requests-limit": "50", "anthropic-ratelimit-requests-remaining": "0",
            "anthropic-ratelimit-requests-reset": "2026-11-22T13:00:12Z",
            "anthropic-ratelimit-tokens-limit": "80000", "anthropic-ratelimit-tokens-remaining": "70000",
            "anthropic-ratelimit-output-tokens-limit": "8000", "anthropic-ratelimit-output-tokens-remaining": "10",
            "anthropic-ratelimit-output-tokens-reset": "2026-11-22T14:00:01.500+01:00",
        ])
        let limits = dialect.limits(in: fields, now: now)
        #expect(limits?.requests == .init(perMinute: 50, remaining: 0, resetsAfter: .seconds(12)))
        #expect(limits?.units == .init(perMinute: 8000, remaining: 10, resetsAfter: .milliseconds(1500)))
    }

    @Test func `Limits that make no sense are none`() {
        #expect(dialect.limits(in: [:], now: now) == nil)
        let fields = HTTPFields(naming: [
            "anthropic-ratelimit-requests-limit": "many", "anthropic-ratelimit-requests-remaining": "-1",
            "anthropic-ratelimit-requests-reset": "soon",
        ])
        #expect(dialect.limits(in: fields, now: now) == nil)
        let past = HTTPFields(naming: ["anthropic-ratelimit-requests-reset": "2026-11-22T12:00:00Z"])
        #expect(dialect.limits(in: past, now: now)?.requests?.resetsAfter == .zero)
    }

    @Test func `The key travels among the secrets, in its own field`() throws {
        let key = try APIKey("sk-ant-0123456789abcdef")
        #expect(dialect.secrets(for: key)[named: "x-api-key"] == key.secret)
        #expect(dialect.secrets(for: key)[.authorization] == nil)
        #expect(dialect.fields[named: "anthropic-version"] == "2023-06-01")
    }
}
