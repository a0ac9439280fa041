import Foundation
import HTTPTypes
public import Hablare
public import HablareProviders

#if canImport(FoundationNetworking)
import FoundationNetworking
import HablareSupport
#endif

/// A transport over the system's `URLSession`. Use it for apps that must use the system's network: its proxies, its
/// virtual private networks, its low data mode and its trust settings.
///
/// In other cases, `NetworkTransport` of `HablareNetwork` is the better choice, because of these limits of
/// `URLSession`:
///
/// - It does not report when a call was passed to a connection. Therefore a call counts as sent from the beginning,
///   unless the error shows that no connection was made. So more failures have an unknown outcome.
/// - It may send a call a second time without asking, if a kept connection turns out to be closed.
/// - If an answer has several fields with the same name, they are joined into one field.
/// - An upload with content files is copied into a temporary file for the time of the transfer. Only this user can read
///   the file.
/// - On Linux, the open-source Foundation crashes the process if the connection closes before all header fields of an
///   answer have arrived. It sometimes also crashes at a redirect. On Linux, use this transport only in tests.
/// - On Linux, it cannot make a server wait for a slow reader (``URLSessionSettings/mostUnread``).
/// - On Linux, it reports fewer reasons of a failure. For example, it reports a certificate that is not trusted as a
///   lost connection.
///
/// The transport follows redirects by the rules of `Redirect`. It does not use cookies, caches or stored passwords.
/// Calls do not ask for compression. Calls are not logged or traced.
///
/// Create one transport for each process and share it, because the transport holds the connections. Call ``shutdown()``
/// at the end.
public final class URLSessionTransport: HTTPTransport {
    private struct Session: Sendable {
        let session: URLSession
        let delegate: SessionDelegate
    }
    private struct Sessions: Sendable {
        var open: [ProxyAddress?: Session] = [:]
        var isShutDown = false
    }

    /// The settings of the connections.
    public let settings: URLSessionSettings
    private let sessions = Locked(Sessions())

    /// Creates a transport without opening a connection.
    ///
    /// - Parameter settings: The settings of the connections.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` for ``URLSessionSettings/proxies`` if
    ///   `URLSession` has no proxy setting on this platform.
    public init(_ settings: URLSessionSettings = URLSessionSettings()) throws(AIServiceError) {
        #if !canImport(Darwin)
        guard settings.proxies == nil else {
            throw AIServiceError(
                .invalidConfiguration,
                "URLSession accepts no proxy rules on this platform. Set the environment variables http_proxy and https_proxy, or use HablareNetwork."
            )
        }
        #endif
        self.settings = settings
    }

    deinit {
        for session in takeSessions() { session.session.invalidateAndCancel() }
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
        let failure = HTTPFailure(.connectionLost, mayHaveArrived: true, cause: "the transport is shut down")
        for session in takeSessions() {
            session.delegate.failAll(failure)
            session.session.invalidateAndCancel()
        }
    }

    private func exchange(_ call: HTTPCall) async throws -> (HTTPAnswer, SessionTransfer) {
        try Task.checkCancellation()
        guard let origin = HTTPOrigin(of: call.url) else {
            throw HTTPFailure(.other, mayHaveArrived: false, cause: "the address is not an http or https address")
        }
        let proxy = settings.proxies?.proxy(for: origin)
        let form = try await UploadFile.form(of: call.body)
        let request = request(call, form)
        let transfer = SessionTransfer(
            idleTimeout: call.idleTimeout ?? settings.idleTimeout, mostUnread: settings.mostUnread)
        let answer = try await transfer.answer { () throws(HTTPFailure) in
            try start(request, form, transfer, over: proxy)
        }
        return (answer, transfer)
    }

    /// Creates the task of a transfer. This happens under the lock, because creating a task in an invalidated session
    /// crashes the process.
    private func start(
        _ request: URLRequest, _ form: UploadFile.Form, _ transfer: SessionTransfer, over proxy: ProxyAddress?
    ) throws(HTTPFailure) -> URLSessionTask {
        let task = sessions.withLock { sessions -> URLSessionTask? in
            guard !sessions.isShutDown else { return nil }
            let session = sessions.open[proxy] ?? makeSession(proxy)
            sessions.open[proxy] = session
            let task: URLSessionTask =
                switch form {
                case .file(let url): session.session.uploadTask(with: request, fromFile: url)
                case .none, .bytes: session.session.dataTask(with: request)
                }
            session.delegate.add(transfer, form, for: task)
            return task
        }
        if let task { return task }
        UploadFile.remove(form)
        throw HTTPFailure(.other, mayHaveArrived: false, cause: "the transport is shut down")
    }

    private func request(_ call: HTTPCall, _ form: UploadFile.Form) -> URLRequest {
        var request = URLRequest(url: call.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: Self.day)
        request.httpMethod = call.method.rawValue
        request.httpShouldHandleCookies = false
        for field in call.fields { request.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        for field in call.secrets { request.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        if call.fields[.userAgent] == nil { request.setValue(settings.userAgent, forHTTPHeaderField: "User-Agent") }
        // Without a field of its own it would ask for compression.
        if call.fields[.acceptEncoding] == nil { request.setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
        if case .bytes(let data) = form { request.httpBody = data }
        return request
    }

    /// The session's own timeout: a day, in seconds. It is so long because the transfer has its own timeout, which
    /// excludes the time of a slow reader.
    private static let day: TimeInterval = 86_400

    /// Returns a session for a proxy, or for the system's settings. Each proxy needs its own session, because a session
    /// has only one proxy setting.
    private func makeSession(_ proxy: ProxyAddress?) -> Session {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = Self.day
        configuration.httpMaximumConnectionsPerHost = max(1, settings.connectionsPerHost)
        #if canImport(Darwin)
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        configuration.waitsForConnectivity = false
        if settings.proxies != nil { configuration.connectionProxyDictionary = Self.dictionary(proxy) }
        #endif
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let delegate = SessionDelegate(proxy: proxy)
        return Session(
            session: URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue),
            delegate: delegate)
    }

    #if canImport(Darwin)
    /// Returns a proxy in the form of CFNetwork's proxy settings (CFProxySupport.h). Returns an empty dictionary for no
    /// proxy.
    private static func dictionary(_ proxy: ProxyAddress?) -> [AnyHashable: Any] {
        guard let proxy else { return [:] }
        switch proxy.kind {
        case .http:
            return [
                "HTTPEnable": 1, "HTTPProxy": proxy.host, "HTTPPort": proxy.port,
                "HTTPSEnable": 1, "HTTPSProxy": proxy.host, "HTTPSPort": proxy.port,
            ]
        case .socks5: return ["SOCKSEnable": 1, "SOCKSProxy": proxy.host, "SOCKSPort": proxy.port]
        }
    }
    #endif

    private func takeSessions() -> [Session] {
        sessions.withLock { sessions in
            defer { sessions.open = [:] }
            sessions.isShutDown = true
            return Array(sessions.open.values)
        }
    }
}
