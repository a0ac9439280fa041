import Foundation
import HablareProviders

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Functions that translate the errors of `URLSession` to the transport's failures. They have no side effects.
///
/// `URLSession` does not report when a call was passed to a connection. Some errors can only occur before the
/// connection's handshake has ended. After such an error, it is certain that the call has not arrived. After any other
/// error, the call may have arrived.
enum SessionFault {
    /// Returns the transport's failure for an error.
    ///
    /// - Parameters:
    ///   - error: The error of the session.
    ///   - isProven: Whether a part of the body was sent, or a part of the answer was received. If `true`, the call may
    ///     have arrived, whatever the error is.
    static func failure(for error: any Error, isProven: Bool) -> HTTPFailure {
        if let failure = error as? HTTPFailure { return failure }
        let error = error as NSError
        let (reason, isBefore) = reason(of: error)
        let mayHaveArrived = isProven || !isBefore
        // A refused connection after a part of the answer is a lost one.
        let isLost = isProven && isBefore
        return HTTPFailure(
            isLost ? .connectionLost : reason, mayHaveArrived: mayHaveArrived,
            cause: "\(error.domain) \(error.code)")
    }

    /// The failure for the error code "bad response". In the open-source Foundation, this code means that the answer
    /// ended inside its head (status and header fields).
    private static let badResponse: HTTPFailure.Reason = {
        #if canImport(Darwin)
        .malformedAnswer
        #else
        .connectionLost
        #endif
    }()

    private static func reason(of error: NSError) -> (HTTPFailure.Reason, isBefore: Bool) {
        guard error.domain == NSURLErrorDomain else {
            // The proxies' errors of CFNetwork (kCFErrorHTTPProxyConnectionFailure …, CFNetworkErrors.h).
            if error.domain == "kCFErrorDomainCFNetwork", (306...311).contains(error.code) { return (.proxy, true) }
            return (.connectionLost, false)
        }
        switch URLError.Code(rawValue: error.code) {
        case .cannotFindHost, .dnsLookupFailed: return (.hostNotFound, true)
        case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed, .callIsActive:
            return (.unreachable, true)
        case .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .serverCertificateUntrusted:
            return (.certificate, true)
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired:
            return (.secureConnection, true)
        case .appTransportSecurityRequiresSecureConnection: return (.other, true)
        case .timedOut: return (.idleTimeout, false)
        case .badServerResponse: return (badResponse, false)
        case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            return (.malformedAnswer, false)
        // The schemes of calls are checked before: libcurl reports so that the answer is of another protocol.
        case .unsupportedURL: return (.malformedAnswer, false)
        case .httpTooManyRedirects, .redirectToNonExistentLocation: return (.redirect, false)
        case .fileDoesNotExist, .noPermissionsToReadFile, .fileIsDirectory: return (.unreadableBody, false)
        default: return (.connectionLost, false)
        }
    }
}
