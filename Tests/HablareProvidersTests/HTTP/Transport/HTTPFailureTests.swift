import Hablare
import HablareProviders
import Testing

@Suite struct HTTPFailureTests {
    /// For each reason: the code, the disposition if nothing can have arrived, and the disposition if it may have.
    private static let table:
        [HTTPFailure.Reason: (code: AIServiceError.Code, before: FailureDisposition, after: FailureDisposition)] = [
            .hostNotFound: (.connectionFailed, .retry(after: nil), .outcomeUnknown),
            .unreachable: (.connectionFailed, .retry(after: nil), .outcomeUnknown),
            .connectTimeout: (.connectionFailed, .retry(after: nil), .outcomeUnknown),
            .certificate: (.invalidConfiguration, .needsUser, .needsUser),
            .certificateOfOtherHost: (.invalidConfiguration, .needsUser, .needsUser),
            .secureConnection: (.connectionFailed, .retry(after: nil), .outcomeUnknown),
            .proxy: (.connectionFailed, .retry(after: nil), .outcomeUnknown),
            .idleTimeout: (.timeout, .retry(after: nil), .outcomeUnknown),
            .connectionLost: (.connectionLost, .retry(after: nil), .outcomeUnknown),
            .malformedAnswer: (.invalidResponse, .fail, .outcomeUnknown),
            .redirect: (.invalidConfiguration, .needsUser, .needsUser),
            .unreadableBody: (.contentMissing, .fail, .outcomeUnknown),
            .other: (.connectionLost, .retry(after: nil), .outcomeUnknown),
        ]

    @Test(arguments: HTTPFailure.Reason.allCases)
    func `Each reason has its code, says where and whose move it is`(reason: HTTPFailure.Reason) throws {
        let origin = try origin("https://api.example:8443/v1?key=1")
        let row = try #require(Self.table[reason])
        for (mayHaveArrived, disposition) in [(false, row.before), (true, row.after)] {
            let error = HTTPFailure(reason, mayHaveArrived: mayHaveArrived, cause: "in its words")
                .error(of: "Example", at: origin)
            #expect(error.code == row.code)
            #expect(error.disposition == disposition)
            #expect(error.message.contains("Example at https://api.example:8443"))
            #expect(error.cause == "in its words")
            // An error that the user must correct may have been billed before. For all others the disposition shows
            // this.
            #expect(error.billing == (mayHaveArrived && disposition == .needsUser ? .maybeBilled : nil))
        }
    }

    @Test(arguments: HTTPFailure.Reason.allCases)
    func `What costs nothing is of no unknown outcome`(reason: HTTPFailure.Reason) throws {
        let row = try #require(Self.table[reason])
        for mayHaveArrived in [false, true] {
            let error = HTTPFailure(reason, mayHaveArrived: mayHaveArrived, cause: "")
                .error(of: "Example", at: try origin("https://api.example"), mayBeBilled: false)
            #expect(error.code == row.code && error.disposition == row.before && error.billing == nil)
        }
    }

    @Test func `A certificate that is not trusted names both causes and both ways out`() throws {
        let error = HTTPFailure(.certificate, mayHaveArrived: false, cause: "")
            .error(of: "Example", at: try origin("https://a.example"))
        for word in ["authority is unknown", "expired", "this machine's date", "base URL", "certificate file"] {
            #expect(error.message.contains(word), "\(word)")
        }
    }

    @Test func `Where a call was led elsewhere, it is said where`() throws {
        let failure = HTTPFailure(.redirect, mayHaveArrived: false, cause: "redirect to https://b.example")
        let error = failure.error(of: "Example", at: try origin("http://b.example"))
        #expect(error.message.contains("https://b.example") && error.message.contains("base URL"))
    }
}
