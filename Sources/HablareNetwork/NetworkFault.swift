import AsyncHTTPClient
import Foundation
import HablareProviders
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Functions that translate the errors of the network libraries to the transport's failures. They have no side effects.
enum NetworkFault {
    /// Returns the transport's failure for an error.
    ///
    /// - Parameters:
    ///   - error: The error of a library.
    ///   - isSent: Whether any part of the call was passed to a connection. If `false`, the call cannot have arrived.
    ///   - isProxied: Whether the call went through a proxy.
    static func failure(for error: any Error, isSent: Bool, isProxied: Bool = false) -> HTTPFailure {
        if let failure = error as? HTTPFailure { return failure }
        return HTTPFailure(
            reason(of: error, isSent: isSent, isProxied: isProxied), mayHaveArrived: isSent, cause: cause(of: error))
    }

    private static func reason(of error: any Error, isSent: Bool, isProxied: Bool) -> HTTPFailure.Reason {
        switch error {
        case let error as HTTPClientError: reason(of: error, isSent: isSent, isProxied: isProxied)
        case let error as NIOConnectionError: reason(of: error, isProxied: isProxied)
        case is SocketAddressError, is SocketAddressError.UnknownHost: .hostNotFound
        case ChannelError.connectTimeout: .connectTimeout
        case is ChannelError: .connectionLost
        case let error as IOError: reason(ofSystem: error.errnoCode, isSent: isSent)
        case HTTPParserError.invalidEOFState: .connectionLost
        case is HTTPParserError: .malformedAnswer
        case let error as NIOSSLExtraError:
            error == .failedToValidateHostname ? .certificateOfOtherHost : .secureConnection
        case let error as NIOSSLError: reason(of: error, isSent: isSent)
        case is BoringSSLError: isSent ? .connectionLost : .secureConnection
        case is Upload.Unreadable: .unreadableBody
        default: isSent ? .connectionLost : .other
        }
    }

    /// The fixed description of the error for an unsupported protocol. The error is recognised by this text, because
    /// the error itself contains the protocol's name and cannot be compared.
    private static let unsupportedProtocol =
        HTTPClientError.serverOfferedUnsupportedApplicationProtocol("").shortDescription

    private static func reason(of error: HTTPClientError, isSent: Bool, isProxied: Bool) -> HTTPFailure.Reason {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout: .connectTimeout
        case .proxyAuthenticationRequired, .invalidProxyResponse, .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            .proxy
        case .readTimeout, .writeTimeout, .deadlineExceeded: .idleTimeout
        // A proxy that closes the connection before the call is sent has refused it.
        case .remoteConnectionClosed: !isSent && isProxied ? .proxy : .connectionLost
        case .requestStreamCancelled, .uncleanShutdown: .connectionLost
        case .emptyHost, .emptyScheme, .invalidURL, .alreadyShutdown: .other
        case _ where error.shortDescription == unsupportedProtocol: .secureConnection
        default: isSent ? .connectionLost : .other
        }
    }

    private static func reason(of error: NIOConnectionError, isProxied: Bool) -> HTTPFailure.Reason {
        let failures = error.connectionErrors.map(\.error)
        if failures.isEmpty {
            return error.dnsAError != nil || error.dnsAAAAError != nil ? .hostNotFound : .unreachable
        }
        if failures.allSatisfy({ if case ChannelError.connectTimeout = $0 { true } else { false } }) {
            return .connectTimeout
        }
        return isProxied ? .proxy : .unreachable
    }

    private static func reason(ofSystem code: CInt, isSent: Bool) -> HTTPFailure.Reason {
        switch code {
        case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL: isSent ? .connectionLost : .unreachable
        case ETIMEDOUT: isSent ? .connectionLost : .connectTimeout
        case EMFILE, ENFILE, ENOMEM, ENOBUFS: .other
        default: .connectionLost
        }
    }

    private static func reason(of error: NIOSSLError, isSent: Bool) -> HTTPFailure.Reason {
        switch error {
        case .handshakeFailed(let inner) where "\(inner)".contains("CERTIFICATE_VERIFY_FAILED"): .certificate
        case .noCertificateToValidate, .unableToValidateCertificate: .certificate
        case .uncleanShutdown: .connectionLost
        default: isSent ? .connectionLost : .secureConnection
        }
    }

    /// Returns the error's message without quoted values. For errors of the client library, returns only a fixed
    /// description, because other texts may contain the values of header fields, such as a key.
    private static func cause(of error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: error.shortDescription
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first { cause(of: first.error) } else { "no address for the host" }
        case is SocketAddressError, is SocketAddressError.UnknownHost: "no address for the host"
        case is IOError, is ChannelError, is HTTPParserError, is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            "\(error)"
        case let error as Upload.Unreadable: error.cause
        default: "\(type(of: error))"
        }
    }
}
