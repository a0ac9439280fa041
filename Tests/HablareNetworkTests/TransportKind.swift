import Foundation
import HablareNetwork
import HablareProviders
import HablareTestServers
import HablareURLSession
import Testing

/// The transports that the contract of ``HTTPTransport`` is run against.
enum TransportKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case network
    case urlSession

    /// The transports that redirects are tested with. On Linux the open-source Foundation sometimes ends the process at a
    /// redirect that its delegate does not follow (`HTTPURLProtocol.swift`, seen with Swift 6.3.1 on a busy machine).
    static var redirecting: [TransportKind] {
        #if canImport(Darwin)
        allCases
        #else
        [.network]
        #endif
    }

    var testDescription: String { rawValue }
}

/// Runs a closure with a transport of a kind, and shuts the transport down afterwards.
func withTransport<R>(
    _ kind: TransportKind, idleTimeout: Duration = .seconds(120), userAgent: String = "hablare",
    _ body: (any HTTPTransport) async throws -> R
) async throws -> R {
    switch kind {
    case .network:
        return try await withTransport(NetworkSettings(idleTimeout: idleTimeout, userAgent: userAgent)) {
            try await body($0)
        }
    case .urlSession:
        let settings = URLSessionSettings(idleTimeout: idleTimeout, userAgent: userAgent)
        let transport = try URLSessionTransport(settings)
        let result: Result<R, any Error>
        do { result = .success(try await body(transport)) } catch { result = .failure(error) }
        await transport.shutdown()
        return try result.get()
    }
}

/// Returns the failure of a call after reading its answer to the end.
func failure(
    of call: HTTPCall, over transport: any HTTPTransport, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> HTTPFailure {
    do {
        _ = try await transport.send(call).body.data()
    } catch let failure as HTTPFailure {
        return failure
    }
    return try #require(nil, "the call did not fail", sourceLocation: sourceLocation)
}
