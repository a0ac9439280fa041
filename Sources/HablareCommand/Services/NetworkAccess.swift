import Foundation
import Hablare
import HablareNetwork
import HablareProviders
import HablareSupport

/// The single network transport of a run. It is created when it is first needed, and is shut down when the run ends.
final class NetworkAccess: Sendable {
    struct Way: Sendable {
        let transport: any HTTPTransport
        let close: @Sendable () async -> Void
    }

    typealias Making = @Sendable (NetworkSettings) throws(AIServiceError) -> Way

    private let make: Making
    private let way = Locked<Way?>(nil)

    init(
        make: @escaping Making = { settings throws(AIServiceError) in
            let transport = try NetworkTransport(settings)
            return Way(transport: transport, close: { await transport.shutdown() })
        }
    ) {
        self.make = make
    }

    /// Returns the transport, and creates it if necessary. The settings are the same for the whole run.
    @discardableResult
    func open(_ settings: () throws(AIServiceError) -> NetworkSettings) throws(AIServiceError) -> any HTTPTransport {
        if let way = way.withLock({ $0 }) { return way.transport }
        // Outside the lock, because this may read a file. If two are created at once, the second has no connection yet.
        let made = try make(settings())
        return way.withLock { way in
            if let first = way { return first.transport }
            way = made
            return made.transport
        }
    }

    func close() async {
        await way.withLock { $0 }?.close()
    }
}

/// A transport that opens the network only at its first call. Use it for providers that may never be called.
struct NetworkWay: HTTPTransport {
    let access: NetworkAccess
    let network: Settings.Network
    let environment: [String: String]

    /// Opens the network, so that errors in its settings are reported before anything is sent.
    @discardableResult
    func open() throws(AIServiceError) -> any HTTPTransport {
        try access.open { () throws(AIServiceError) in try network.transportSettings(environment) }
    }

    func send(_ call: HTTPCall) async throws -> HTTPAnswer { try await open().send(call) }
}

extension Settings.Network {
    func transportSettings(_ environment: [String: String]) throws(AIServiceError) -> NetworkSettings {
        NetworkSettings(
            connectTimeout: connectTimeout, idleTimeout: idleTimeout,
            authoritiesPath: certificateFile?.path(percentEncoded: false), proxies: try proxies(environment))
    }

    private func proxies(_ environment: [String: String]) throws(AIServiceError) -> ProxyRules {
        switch proxy {
        case .none: return .direct
        case .environment:
            var environment = environment
            if let withoutProxy { environment["no_proxy"] = withoutProxy.joined(separator: ",") }
            return try ProxyRules(environment: environment)
        case .address(let text):
            let usual = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
            let address = try ProxyAddress(text)
            return ProxyRules(http: address, https: address, except: withoutProxy?.joined(separator: ",") ?? usual)
        }
    }
}

extension Composition {
    func way(to network: Settings.Network) -> NetworkWay {
        NetworkWay(access: self.network, network: network, environment: environment)
    }
}

/// A transport to a server that receives no key. If the server requires a key, the error says what to do. The server's
/// own message would not help, because the user cannot give a key for this address.
struct KeylessTransport: HTTPTransport {
    let base: any HTTPTransport
    let service: String
    let kind: ServiceKind
    let address: ServiceAddress

    func send(_ call: HTTPCall) async throws -> HTTPAnswer {
        let answer = try await base.send(call)
        guard answer.status == 401 else { return answer }
        throw AIServiceError(
            .unauthorized,
            """
            The server at \(address.origin.text) needs a key, and the key of \(service) is sent only to \(service) \
            itself. Add a service for the server to hablare.yaml, such as services.my-server with kind: \(kind) and \
            base_url: \(address), and store its key with: hablare keys set my-server
            """,
            cause: "status 401",
            // A preceding status 303 means that the call was carried out and only its result is withheld.
            billing: answer.wasCarriedOut ? .maybeBilled : nil)
    }
}
