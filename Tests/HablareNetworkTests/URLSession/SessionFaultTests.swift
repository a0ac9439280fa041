import Foundation
import HablareProviders
import Testing

@testable import HablareURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct SessionFaultTests {
    /// The error, the reason, and whether it proves that nothing was sent.
    private static let table: [(code: URLError.Code, reason: HTTPFailure.Reason, isBefore: Bool)] = [
        (.cannotFindHost, .hostNotFound, true), (.dnsLookupFailed, .hostNotFound, true),
        (.cannotConnectToHost, .unreachable, true), (.notConnectedToInternet, .unreachable, true),
        (.serverCertificateUntrusted, .certificate, true), (.serverCertificateHasBadDate, .certificate, true),
        (.secureConnectionFailed, .secureConnection, true), (.timedOut, .idleTimeout, false),
        (.networkConnectionLost, .connectionLost, false), (.cannotParseResponse, .malformedAnswer, false),
        (.httpTooManyRedirects, .redirect, false), (.cancelled, .connectionLost, false),
        (.unknown, .connectionLost, false),
    ]

    @Test func `Each error has a reason, and says whether the call may have arrived`() {
        for (code, reason, isBefore) in Self.table {
            let failure = SessionFault.failure(for: URLError(code), isProven: false)
            #expect(failure.reason == reason && failure.mayHaveArrived == !isBefore, "\(code.rawValue)")
            let later = SessionFault.failure(for: URLError(code), isProven: true)
            #expect(later.mayHaveArrived && (!isBefore || later.reason == .connectionLost), "\(code.rawValue)")
        }
    }

    @Test func `A proxy's refusal cannot have reached the server`() {
        let error = NSError(domain: "kCFErrorDomainCFNetwork", code: 310)
        let failure = SessionFault.failure(for: error, isProven: false)
        #expect(failure.reason == .proxy && !failure.mayHaveArrived)
    }

    @Test func `A cause has a domain and a code, and never the error's own words`() {
        let error = NSError(
            domain: NSURLErrorDomain, code: -1004,
            userInfo: [NSLocalizedDescriptionKey: "geheim", NSURLErrorFailingURLErrorKey: "http://geheim/"])
        #expect(SessionFault.failure(for: error, isProven: false).cause == "\(NSURLErrorDomain) -1004")
    }
}
