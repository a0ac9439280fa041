import AsyncHTTPClient
import HTTPTypes
public import Hablare
public import HablareProviders
import HablareSupport
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A transport over network sockets. It uses HTTP/2 if the server offers it, otherwise HTTP/1.1. Connections are kept
/// for the next call.
///
/// The transport sends each call only once. The engine decides about retries, because it knows whether a repeated call
/// may be paid for twice. TLS has version 1.2 or later, and certificates are always checked. Calls do not ask for
/// compression, and answers are not decompressed. Calls are not logged or traced.
///
/// Create one transport for each process and share it, because the transport holds the connections. Call ``shutdown()``
/// at the end. All connections of a transport run on one network thread. A server that needs more threads uses several
/// transports.
public final class NetworkTransport: HTTPTransport {
    private struct Clients: Sendable {
        var open: [ProxyAddress?: HTTPClient] = [:]
        var isShutDown = false
    }

    /// The settings of the connections.
    public let settings: NetworkSettings
    private let tls: TLSConfiguration
    private let clients = Locked(Clients())
    /// The event loop of all connections. A transfer and its connection use the same thread, so that they exchange
    /// events without waking another thread.
    private let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()

    /// Creates a transport without opening a connection.
    ///
    /// - Parameter settings: The settings of the connections.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` if the file of authorities cannot be read or has
    ///   no certificate.
    public init(_ settings: NetworkSettings = NetworkSettings()) throws(AIServiceError) {
        self.settings = settings
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let path = settings.authoritiesPath {
            tls.additionalTrustRoots = [.certificates(try Self.authorities(in: path))]
        }
        self.tls = tls
    }

    deinit {
        // The library requires each client to be shut down. This does not wait for it; `shutdown()` does.
        for client in takeClients() { client.shutdown { _ in } }
    }

    /// Sends a call. See `HTTPTransport.send(_:)`.
    public func send(_ call: HTTPCall) async throws -> HTTPAnswer {
        try await Redirect.following(call) { call in
            let (answer, transfer) = try await exchange(call)
            return (answer, { await transfer.leave() })
        }
    }

    /// Closes all connections. Calls in flight fail as if the connection were lost, and later calls fail. You may call
    /// this method more than once.
    public func shutdown() async {
        for client in takeClients() {
            do {
                try await client.shutdown()
            } catch {
                // The library's only error here is that the client was already shut down.
                continue
            }
        }
    }

    private func exchange(_ call: HTTPCall) async throws -> (HTTPAnswer, Transfer) {
        try Task.checkCancellation()
        guard let origin = HTTPOrigin(of: call.url) else {
            throw HTTPFailure(.other, mayHaveArrived: false, cause: "the address is not an http or https address")
        }
        let proxy = settings.proxies.proxy(for: origin)
        do {
            let client = try client(for: proxy)
            try await Upload.check(call.body)
            let transfer = Transfer(
                idleTimeout: call.idleTimeout ?? settings.idleTimeout, lingering: settings.lingering,
                isProxied: proxy != nil)
            let answer = try await transfer.answer(
                to: request(call), from: client, isUpload: Upload.isStreamed(call.body)
            ) { [clients] in clients.withLock { $0.isShutDown } }
            return (answer, transfer)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw NetworkFault.failure(for: error, isSent: false, isProxied: proxy != nil)
        }
    }

    private func request(_ call: HTTPCall) throws -> HTTPClient.Request {
        var headers = HTTPHeaders()
        headers.add(call.fields)
        headers.add(call.secrets)
        if call.fields[.userAgent] == nil { headers.add(name: "user-agent", value: settings.userAgent) }
        return try HTTPClient.Request(
            url: call.url, method: HTTPMethod(rawValue: call.method.rawValue), headers: headers,
            body: Upload.body(call.body))
    }

    /// Returns the client for a proxy, or the client without a proxy. Each proxy needs its own client, because the
    /// client library has only one proxy setting for each client.
    private func client(for proxy: ProxyAddress?) throws(HTTPFailure) -> HTTPClient {
        try clients.withLock { clients throws(HTTPFailure) in
            guard !clients.isShutDown else {
                throw HTTPFailure(.other, mayHaveArrived: false, cause: "the transport is shut down")
            }
            if let client = clients.open[proxy] { return client }
            let client = HTTPClient(eventLoopGroup: loop, configuration: configuration(proxy))
            clients.open[proxy] = client
            return client
        }
    }

    private func configuration(_ proxy: ProxyAddress?) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(settings.connectTimeout)), decompression: .disabled)
        configuration.connectionPool.idleTimeout = TimeAmount(settings.keepAlive)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, settings.connectionsPerHost)
        // The engine retries a failed connection; it knows backoff and circuit breaker.
        configuration.connectionPool.retryConnectionEstablishment = false
        // The library's spans would contain the whole address.
        configuration.tracing.tracer = nil
        configuration.proxy = proxy.map { proxy in
            switch proxy.kind {
            case .http:
                .server(
                    host: proxy.host, port: proxy.port,
                    authorization: proxy.user.map { .basic(username: $0, password: proxy.password ?? "") })
            case .socks5: .socksServer(host: proxy.host, port: proxy.port)
            }
        }
        return configuration
    }

    private func takeClients() -> [HTTPClient] {
        clients.withLock { clients in
            defer { clients.open = [:] }
            clients.isShutDown = true
            return Array(clients.open.values)
        }
    }

    private static func authorities(in path: String) throws(AIServiceError) -> [NIOSSLCertificate] {
        func refusal(_ reason: String) -> AIServiceError {
            AIServiceError(
                .invalidConfiguration,
                "The certificate file \(path) \(reason). Use a file with certificates in PEM format, or leave the setting out."
            )
        }
        let certificates: [NIOSSLCertificate]
        do {
            certificates = try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw refusal("cannot be read or is not in PEM format")
        }
        guard !certificates.isEmpty else { throw refusal("contains no certificate") }
        return certificates
    }
}
