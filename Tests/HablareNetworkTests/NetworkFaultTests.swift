import AsyncHTTPClient
import HablareProviders
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing

@testable import HablareNetwork

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct NetworkFaultTests {
    private typealias Reason = HTTPFailure.Reason
    private struct Unknown: Error {}

    /// Before the call was passed to a connection, and after.
    private static let table: [(any Error, before: Reason, after: Reason)] = [
        (HTTPClientError.connectTimeout, .connectTimeout, .connectTimeout),
        (HTTPClientError.getConnectionFromPoolTimeout, .connectTimeout, .connectTimeout),
        (HTTPClientError.tlsHandshakeTimeout, .connectTimeout, .connectTimeout),
        (HTTPClientError.proxyAuthenticationRequired, .proxy, .proxy),
        (HTTPClientError.invalidProxyResponse, .proxy, .proxy),
        (HTTPClientError.httpProxyHandshakeTimeout, .proxy, .proxy),
        (HTTPClientError.socksHandshakeTimeout, .proxy, .proxy),
        (HTTPClientError.readTimeout, .idleTimeout, .idleTimeout),
        (HTTPClientError.writeTimeout, .idleTimeout, .idleTimeout),
        (HTTPClientError.deadlineExceeded, .idleTimeout, .idleTimeout),
        (HTTPClientError.remoteConnectionClosed, .connectionLost, .connectionLost),
        (HTTPClientError.requestStreamCancelled, .connectionLost, .connectionLost),
        (HTTPClientError.uncleanShutdown, .connectionLost, .connectionLost),
        (HTTPClientError.cancelled, .other, .connectionLost),
        (HTTPClientError.alreadyShutdown, .other, .other),
        (HTTPClientError.invalidURL, .other, .other),
        (HTTPClientError.emptyHost, .other, .other),
        (HTTPClientError.serverOfferedUnsupportedApplicationProtocol("x"), .secureConnection, .secureConnection),
        (HTTPClientError.invalidHeaderFieldValues(["sk-secret"]), .other, .connectionLost),
        (ChannelError.connectTimeout(.seconds(1)), .connectTimeout, .connectTimeout),
        (ChannelError.ioOnClosedChannel, .connectionLost, .connectionLost),
        (ChannelError.eof, .connectionLost, .connectionLost),
        (IOError(errnoCode: ECONNREFUSED, reason: "connect"), .unreachable, .connectionLost),
        (IOError(errnoCode: EHOSTUNREACH, reason: "connect"), .unreachable, .connectionLost),
        (IOError(errnoCode: ENETUNREACH, reason: "connect"), .unreachable, .connectionLost),
        (IOError(errnoCode: ETIMEDOUT, reason: "connect"), .connectTimeout, .connectionLost),
        (IOError(errnoCode: ECONNRESET, reason: "read"), .connectionLost, .connectionLost),
        (IOError(errnoCode: EPIPE, reason: "write"), .connectionLost, .connectionLost),
        (IOError(errnoCode: EMFILE, reason: "socket"), .other, .other),
        (HTTPParserError.invalidEOFState, .connectionLost, .connectionLost),
        (HTTPParserError.invalidVersion, .malformedAnswer, .malformedAnswer),
        (HTTPParserError.invalidContentLength, .malformedAnswer, .malformedAnswer),
        (NIOSSLExtraError.failedToValidateHostname, .certificateOfOtherHost, .certificateOfOtherHost),
        (NIOSSLExtraError.invalidSNIHostname, .secureConnection, .secureConnection),
        (
            NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])), .secureConnection, .connectionLost
        ),
        (NIOSSLError.unableToValidateCertificate, .certificate, .certificate),
        (NIOSSLError.uncleanShutdown, .connectionLost, .connectionLost),
        (BoringSSLError.zeroReturn, .secureConnection, .connectionLost),
        (Upload.Unreadable(cause: "gone"), .unreadableBody, .unreadableBody),
        (Unknown(), .other, .connectionLost),
    ]

    @Test func `Each error has its reason, and may have arrived when it was sent`() {
        for (error, before, after) in Self.table {
            let first = NetworkFault.failure(for: error, isSent: false)
            #expect(first.reason == before, "\(error)")
            #expect(!first.mayHaveArrived, "\(error)")
            let second = NetworkFault.failure(for: error, isSent: true)
            #expect(second.reason == after, "\(error)")
            #expect(second.mayHaveArrived, "\(error)")
            #expect(!first.cause.isEmpty, "\(error)")
        }
    }

    @Test func `No cause has the value of a field in it`() {
        let error = HTTPClientError.invalidHeaderFieldValues(["sk-secret"])
        let failure = NetworkFault.failure(for: error, isSent: false)
        #expect("\(error)".contains("sk-secret"), "the library's own text has it")
        #expect(!failure.cause.contains("sk-secret"))
    }

    @Test func `A proxy that hangs up before the call has refused it`() {
        let error = HTTPClientError.remoteConnectionClosed
        #expect(NetworkFault.failure(for: error, isSent: false, isProxied: true).reason == .proxy)
        #expect(NetworkFault.failure(for: error, isSent: true, isProxied: true).reason == .connectionLost)
    }

    @Test func `What is a failure already stays what it is`() {
        let failure = HTTPFailure(.redirect, mayHaveArrived: true, cause: "x")
        #expect(NetworkFault.failure(for: failure, isSent: false) == failure)
    }
}
