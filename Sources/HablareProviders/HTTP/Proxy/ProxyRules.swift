public import Hablare

/// The rules that select the proxy of a call.
///
/// Calls to this machine (``HTTPOrigin/isLoopback``) bypass every proxy, because no other machine could reach it. Set
/// `includesLoopback` for a proxy on this machine that should receive them.
///
/// ```swift
/// let proxy = try ProxyAddress("http://proxy.example:3128")
/// let rules = ProxyRules(http: proxy, https: proxy, except: "localhost,10.0.0.0/8,.example.org")
/// ```
public struct ProxyRules: Sendable, Hashable {
    /// The rules without any proxy.
    public static let direct = ProxyRules(http: nil, https: nil)

    private let http: ProxyAddress?
    private let https: ProxyAddress?
    private let exceptions: ProxyExceptions
    private let includesLoopback: Bool

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - http: The proxy for calls of `http`; `nil` for none.
    ///   - https: The proxy for calls of `https`; `nil` for none.
    ///   - except: The destinations that bypass the proxies, in the form of `NO_PROXY`. Default: none.
    ///   - includesLoopback: Whether calls to this machine also go through the proxies. Default: `false`.
    public init(http: ProxyAddress?, https: ProxyAddress?, except: String = "", includesLoopback: Bool = false) {
        self.http = http
        self.https = https
        exceptions = ProxyExceptions(except)
        self.includesLoopback = includesLoopback
    }

    /// Reads the rules from environment variables, as curl does. `http_proxy` applies to calls of `http`, `https_proxy`
    /// to calls of `https`, and `all_proxy` to both if they have none. `no_proxy` lists the destinations that bypass
    /// them: hosts with their subdomains, addresses, blocks of addresses (`10.0.0.0/8`), each with an optional port, or
    /// `*`.
    ///
    /// Lowercase names take precedence over uppercase ones. An empty value means no proxy. A CGI program ignores
    /// `HTTP_PROXY`, because its clients can set it.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration``, with the variable's name, for an invalid
    ///   address.
    public init(environment: [String: String]) throws(AIServiceError) {
        func value(_ name: String) -> (name: String, value: String)? {
            if let value = environment[name] { return (name, value) }
            let capitals = name.uppercased()
            if capitals == "HTTP_PROXY", environment["REQUEST_METHOD"] != nil { return nil }
            return environment[capitals].map { (capitals, $0) }
        }
        func proxy(_ names: String...) throws(AIServiceError) -> ProxyAddress? {
            for name in names {
                guard let found = value(name) else { continue }
                guard !found.value.allSatisfy(\.isWhitespace) else { return nil }
                do {
                    return try ProxyAddress(found.value)
                } catch {
                    throw AIServiceError(error.code, "\(found.name): \(error.message)")
                }
            }
            return nil
        }
        self.init(
            http: try proxy("http_proxy", "all_proxy"), https: try proxy("https_proxy", "all_proxy"),
            except: value("no_proxy")?.value ?? "")
    }

    /// Returns the proxy for calls to an origin; `nil` for a direct connection.
    public func proxy(for origin: HTTPOrigin) -> ProxyAddress? {
        // The cheapest check first: most processes have no proxy, and this runs for each call.
        guard let proxy = origin.scheme == "https" ? https : http, includesLoopback || !origin.isLoopback,
            !exceptions.contains(origin)
        else { return nil }
        return proxy
    }
}
