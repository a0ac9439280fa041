import Foundation
import HTTPTypes
import Hablare
import Testing

@testable import HablareProviders

@Suite struct OpenAILimitsTests {
    private func fields(_ pairs: [String: String]) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in pairs { fields[named: "x-ratelimit-\(name)"] = value }
        return fields
    }

    @Test("Requests and tokens have separate limits, remainders and reset times")
    func both() {
        let limits = OpenAILimits.reported(
            in: fields([
                "limit-requests": "500", "remaining-requests": "499", "reset-requests": "120ms",
                "limit-tokens": "200000", "remaining-tokens": "0", "reset-tokens": "1m0s",
            ]))
        #expect(
            limits
                == ReportedLimits(
                    requests: .init(perMinute: 500, remaining: 499, resetsAfter: .milliseconds(120)),
                    units: .init(perMinute: 200_000, remaining: 0, resetsAfter: .seconds(60))))
    }

    @Test("Missing fields report no limits, and unreadable ones are ignored")
    func absent() {
        #expect(OpenAILimits.reported(in: [.contentType: "text/plain"]) == nil)
        #expect(OpenAILimits.reported(in: fields(["limit-requests": "many", "reset-tokens": "soon"])) == nil)
        #expect(
            OpenAILimits.reported(in: fields(["limit-requests": "-5", "remaining-requests": "7"]))
                == ReportedLimits(requests: .init(remaining: 7)))
    }

    @Test("A daily limit is recognised, though the field does not say so")
    func daily() {
        let limits = OpenAILimits.reported(
            in: fields(["limit-requests": "10000", "remaining-requests": "9999", "reset-requests": "8.64s"]))
        #expect(limits?.requests?.perMinute == 10_000.0 / 1440)
        let used = OpenAILimits.reported(
            in: fields(["limit-requests": "200", "remaining-requests": "150", "reset-requests": "6h0m0s"]))
        #expect(used?.requests?.perMinute == 200.0 / 1440)
        let minute = OpenAILimits.reported(
            in: fields(["limit-requests": "60", "remaining-requests": "0", "reset-requests": "1m0s"]))
        #expect(minute?.requests?.perMinute == 60)
    }

    @Test("The engine receives the limits of successes and refusals alike", arguments: [200, 429])
    func reported(status: Int) async throws {
        let outcome = try await OpenAIBench().call(AIRequest(prompt: "hello")) {
            [fields = fields(["limit-requests": "3"])] _ in
            OpenAIBench.json("{}", status: status, fields)
        } _: {
            OpenAIBench.chat()($0)
        }
        #expect(outcome.limits == ReportedLimits(requests: .init(perMinute: 3)))
    }
}
