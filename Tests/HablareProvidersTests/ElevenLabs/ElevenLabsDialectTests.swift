import Foundation
import HTTPTypes
import Hablare
import Testing

@testable import HablareProviders

@Suite struct ElevenLabsDialectTests {
    private let dialect = ElevenLabsDialect()

    struct Row: Sendable, CustomTestStringConvertible {
        var status: Int
        var body: String
        var expected: AIServiceError.Code
        var disposition: FailureDisposition
        var fields: [String: String] = [:]
        var testDescription: String { "\(status) \(body.prefix(80))" }

        init(
            _ status: Int, _ body: String, _ expected: AIServiceError.Code, _ disposition: FailureDisposition,
            _ fields: [String: String] = [:]
        ) {
            self.status = status
            self.body = body
            self.expected = expected
            self.disposition = disposition
            self.fields = fields
        }

        /// Returns an error in the older form.
        static func old(_ status: String) -> String { #"{"detail":{"status":"\#(status)","message":"secret"}}"# }
        /// Returns an error in the newer form.
        static func new(_ type: String, _ code: String) -> String {
            #"{"detail":{"type":"\#(type)","code":"\#(code)","message":"secret","status":"\#(code)","request_id":"r"}}"#
        }
    }

    static let rows: [Row] = [
        Row(400, Row.old("max_character_limit_exceeded"), .invalidRequest, .fail),
        Row(400, Row.old("voice_not_found"), .invalidRequest, .fail),
        Row(404, Row.new("not_found", "voice_not_found"), .invalidRequest, .fail),
        Row(422, #"{"detail":[{"type":"missing","loc":["body","text"],"msg":"secret"}]}"#, .invalidRequest, .fail),
        Row(401, Row.old("invalid_api_key"), .unauthorized, .needsUser),
        Row(401, Row.new("authentication_error", "missing_api_key"), .unauthorized, .needsUser),
        Row(401, Row.old("quota_exceeded"), .quotaExceeded, .needsUser),
        Row(402, Row.new("payment_required", "insufficient_credits"), .quotaExceeded, .needsUser),
        Row(429, Row.old("quota_exceeded"), .quotaExceeded, .needsUser),
        Row(401, Row.old("detected_unusual_activity"), .unauthorized, .needsUser),
        Row(401, Row.old("missing_permissions"), .unauthorized, .needsUser),
        Row(403, Row.old("only_for_creator+"), .unauthorized, .needsUser),
        Row(429, Row.old("too_many_concurrent_requests"), .rateLimited, .retry(after: nil)),
        Row(429, Row.new("rate_limit_error", "concurrent_limit_exceeded"), .rateLimited, .retry(after: nil)),
        Row(429, Row.old("system_busy"), .overloaded, .retry(after: nil)),
        Row(
            429, Row.new("rate_limit_error", "rate_limit_exceeded"), .rateLimited, .retry(after: .seconds(9)),
            ["retry-after": "9"]),
        Row(429, #"{"detail":"secret"}"#, .rateLimited, .retry(after: nil)),
        Row(500, #"{"detail":"secret"}"#, .overloaded, .retry(after: nil)),
        Row(503, "<html>secret</html>", .overloaded, .retry(after: nil)),
        Row(401, "", .unauthorized, .needsUser),
        Row(400, Row.old("secret prompt, with spaces"), .invalidRequest, .fail),
    ]

    @Test("Each failure has its code and disposition, and reveals nothing of the text", arguments: rows)
    func table(row: Row) {
        let error = dialect.failure(
            for: ServiceRefusal(
                status: row.status, fields: HTTPFields(naming: row.fields), body: Data(row.body.utf8), now: Date()))
        #expect(error.code == row.expected)
        #expect(error.disposition == row.disposition)
        #expect(!"\(error) \(error.cause ?? "")".contains("secret"))
    }

    @Test func `Credits left out or lost are told apart from a wrong key though the status is the same`() {
        let quota = dialect.failure(
            for: ServiceRefusal(status: 401, body: Data(Row.old("quota_exceeded").utf8), now: Date()))
        #expect(quota.message.contains("credits") && !quota.message.contains("key"))
    }

    @Test(
        "The concurrency limit is read, and invalid values are ignored",
        arguments: [("5", 5 as Int?), ("0", nil), ("-1", nil), ("many", nil)])
    func concurrency(text: String, expected: Int?) {
        let fields = HTTPFields(naming: ["maximum-concurrent-requests": text, "current-concurrent-requests": "2"])
        #expect(dialect.limits(in: fields, now: Date())?.concurrency == expected)
    }

    @Test(
        "Credits are read from either field, rounded up",
        arguments: [
            (["character-cost": "42"], 42 as Int64?), (["character-cost": "2.5"], 3), (["x-character-count": "7"], 7),
            (["character-cost": "x", "x-character-count": "7"], 7), (["character-cost": "-1"], nil), ([:], nil),
        ] as [([String: String], Int64?)])
    func credits(fields: [String: String], expected: Int64?) {
        #expect(dialect.credits(in: HTTPFields(naming: fields)) == expected)
    }

    @Test func `The key travels among the secrets, in its own field`() throws {
        let key = try APIKey("sk_0123456789abcdef")
        #expect(dialect.secrets(for: key)[named: "xi-api-key"] == key.secret)
        #expect(dialect.secrets(for: key)[.authorization] == nil)
    }
}
