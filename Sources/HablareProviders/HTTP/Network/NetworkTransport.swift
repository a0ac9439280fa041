import AsyncHTTPClient
import HTTPTypes
public import Hablare
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The way to the network: sends calls over HTTP/1.1, or HTTP/2 where the server offers it, on connections that are kept
/// for the next call.
///
/// Each call is made once: what failed is made again by the engine, which knows whether that may be paid for twice. TLS is
/// of version 1.2 or later; certificates are checked, and there is no way not to. Answers are not decompressed, and none
/// are asked for. Nothing of a call is logged or traced.
///
/// Make one for a process, and share it: its connections are. Call ``shutdown()`` at the end. All its connections are served
/// by one of the process's threads for the network; a server for which that is too little has several transports.
public final class NetworkTransport: HTTPTransport {
    private struct Clients: Sendable {
        var open: [ProxyAddress?: HTTPClient] = [:]
        var isShutDown = false
    }

    /// How calls go.
    public let settings: NetworkSettings
    private let tls: TLSConfiguration
    private let clients = Guarded(Clients())
    /// Where all of it happens: whoever follows a call and its connection are on one thread, and tell each other what comes
    /// without waking another one.
    private let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()

    /// Creates a transport. Connects to nothing yet.
    ///
    /// - Parameter settings: How calls go.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` where the file of authorities cannot be read, or has
    ///   no certificate in it.
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
        // The library insists on the end of each client. Nobody waits for it here; whoever wants to calls shutdown().
        for client in takeClients() { client.shutdown { _ in } }
    }

    /// Sends a call. See ``HTTPTransport/send(_:)``.
    public func send(_ call: HTTPCall) async throws -> HTTPAnswer {
        var call = call
        // A 303 says that the call was carried out: whatever fails afterwards, it arrived.
        var isDone = false
        var followed = 0
        while true {
            do {
                var (answer, transfer) = try await exchange(call)
                isDone = isDone || Redirect.isDone(call, status: answer.status)
                answer.wasCarriedOut = isDone
                let next = try Redirect.next(
                    after: call, status: answer.status, location: answer.fields[.location], followed: followed)
                guard let next else { return answer }
                // The next call uses the same connection only after this answer has ended.
                await transfer.leave()
                call = next
                followed += 1
            } catch let failure as HTTPFailure where isDone {
                throw HTTPFailure(failure.reason, mayHaveArrived: true, cause: failure.cause)
            }
        }
    }

    /// Closes all connections, and ends the calls that are on their way as if the connection had been lost. Later calls
    /// fail. May be called more than once.
    public func shutdown() async {
        for client in takeClients() {
            do {
                try await client.shutdown()
            } catch {
                // The library's one error here is that it was shut down before, which is what is wanted.
                continue
            }
        }
    }

    private func exchange(_ call: HTTPCall) async throws -> (HTTPAnswer, Transfer) {
        try Task.checkCancellation()
        guard let origin = HTTPOrigin(of: call.url) else {
            throw HTTPFailure(.other, mayHaveArrived: false, cause: "no address of http or https")
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

    /// The client for calls through a proxy, or through none: of the library's clients each has one.
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
        // A connection that does not come about is the engine's to try again, which knows backoff and breaker.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Its spans would have the whole address in them.
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
                "The file of authorities \(path) \(reason). Name one with certificates in PEM, or leave it out.")
        }
        let certificates: [NIOSSLCertificate]
        do {
            certificates = try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw refusal("cannot be read, or is none")
        }
        guard !certificates.isEmpty else { throw refusal("has no certificate in it") }
        return certificates
    }
}
