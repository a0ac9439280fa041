import Foundation
import HTTPTypes
import Hablare
import HablareProviders
import Testing

@Suite struct ServiceRefusalTests {
    private static let now = Date(timeIntervalSince1970: 0)

    /// The documented meaning of each status.
    private static let table: [(Int, AIServiceError.Code, FailureDisposition)] =
        [400, 404, 405, 406, 410, 411, 413, 414, 415, 418, 422, 431].map { ($0, .invalidRequest, .fail) }
        + [401, 403].map { ($0, .unauthorized, .needsUser) } + [(402, .quotaExceeded, .needsUser)]
        + [408, 409, 423, 425, 500, 501, 502, 503, 504, 507, 529, 599].map {
            ($0, .overloaded, .retry(after: .seconds(7)))
        } + [(429, .rateLimited, .retry(after: .seconds(7)))]
        + [0, 100, 300, 301, 302, 303, 304, 307, 308, 600, 999].map { ($0, .invalidConfiguration, .needsUser) }

    @Test func `Each status has its code, and says whose move it is`() {
        for (status, code, disposition) in Self.table {
            let refusal = ServiceRefusal(status: status, fields: [.retryAfter: "7"], now: Self.now)
            let error = refusal.usualFailure(of: "Example")
            #expect(error.code == code, "\(status)")
            #expect(error.disposition == disposition, "\(status)")
            #expect(error.message.contains("Example"), "\(status)")
            #expect(error.cause == "status \(status)", "\(status)")
        }
    }

    @Test func `Without Retry-After the engine chooses the time`() {
        for status in [408, 409, 429, 500, 503] {
            let error = ServiceRefusal(status: status, now: Self.now).usualFailure(of: "Example")
            #expect(error.disposition == .retry(after: nil), "\(status)")
        }
    }

    @Test func `A refusal's text is in no error, only a word that can be a code`() {
        let body = Data(#"{"error": {"message": "the prompt: sk-1234567890abcdef"}}"#.utf8)
        let refusal = ServiceRefusal(status: 400, body: body, now: Self.now)
        #expect(refusal.usualFailure(of: "Example", detail: "bad_model").cause == "status 400, bad_model")
        let error = refusal.usualFailure(of: "Example", detail: "the prompt: sk-1234567890abcdef")
        #expect(error.cause == "status 400, an unknown code")
        #expect(!"\(error)".contains("prompt"))
        #expect(!"\(refusal.usualFailure(of: "Example"))".contains("prompt"))
    }

    @Test func `A server that has no name is written small in a sentence`() {
        let words = [402, 413, 401].map { status in
            ServiceRefusal(status: status, now: Self.now).usualFailure(of: "The server").message
        }
        #expect(
            words == [
                "The account at the server has no credit left. Add credit, then retry.",
                "The request is too large for the server. Shorten it.",
                "The server does not accept the key. Check the key, or set another key.",
            ])
        let named = ServiceRefusal(status: 413, now: Self.now).usualFailure(of: "OpenAI").message
        #expect(named == "The request is too large for OpenAI. Shorten it.")
    }
}
