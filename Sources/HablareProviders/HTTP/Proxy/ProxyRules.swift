public import Hablare

/// The rules that select the proxy for a call.
///
/// For calls to this machine (``HTTPOrigin/isLoopback``), no proxy is used, because a proxy on another machine could
/// not reach this machine's loopback address. If a proxy on this machine should receive such calls, set
/// `includesLoopback`.
///
/// ```swift
/// let proxy = try ProxyAddress("http://proxy.example:3128")
/// let rules = ProxyRules(http: proxy, https: proxy, except: "localhost,10.0.0.0/8,.example.org")
/// ```
public struct ProxyRules: Sendable, Hashable {
    /// Rules without a proxy.
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
    ///   - except: The destinations for which no proxy is used, in the form of `NO_PROXY`. Default: none.
    ///   - includesLoopback: Whether calls to this machine also go through the proxies. Default: `false`.
    public init(http: ProxyAddress?, https: ProxyAddress?, except: String = "", includesLoopback: Bool = false) {
        self.http = http
        self.https = https
        exceptions = ProxyExceptions(except)
        self.includesLoopback = includesLoopback
    }

    /// Reads the rules from environment variables, as curl does:
    ///
    /// - `http_proxy` applies to calls of `http`.
    /// - `https_proxy` applies to calls of `https`.
    /// - `all_proxy` applies to calls of `http` if `http_proxy` is not set, and to calls of `https` if `https_proxy` is
    ///   not set.
    /// - `no_proxy` lists the destinations for which no proxy is used. An entry is `*`, a host with its subdomains, an
    ///   address, or a block of addresses (`10.0.0.0/8`). Each entry may have a port.
    ///
    /// Lowercase names take precedence over uppercase names. An empty value means no proxy. In a CGI program,
    /// `HTTP_PROXY` is ignored, because the program's clients can set this variable.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` for an invalid address. The error names the
    ///   variable.
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
