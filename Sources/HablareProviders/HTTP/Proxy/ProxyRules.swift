public import Hablare

/// Which calls go through which proxy. Pure.
///
/// Calls to this machine itself (``HTTPOrigin/isLoopback``) go past every proxy, since none could reach it; say
/// `includesLoopback` for a proxy on this machine that shall have them too.
public struct ProxyRules: Sendable, Hashable {
    /// No proxy at all.
    public static let direct = ProxyRules(http: nil, https: nil)

    private let http: ProxyAddress?
    private let https: ProxyAddress?
    private let exceptions: ProxyExceptions
    private let includesLoopback: Bool

    /// Makes rules.
    ///
    /// - Parameters:
    ///   - http: The proxy for calls of `http`; `nil` for none.
    ///   - https: The proxy for calls of `https`; `nil` for none.
    ///   - except: What goes past them, as `NO_PROXY` lists it. Default: nothing.
    ///   - includesLoopback: Whether calls to this machine go through them too. Default: `false`.
    public init(http: ProxyAddress?, https: ProxyAddress?, except: String = "", includesLoopback: Bool = false) {
        self.http = http
        self.https = https
        exceptions = ProxyExceptions(except)
        self.includesLoopback = includesLoopback
    }

    /// Reads the rules that a process's environment has, as curl does: `http_proxy` for calls of `http`, `https_proxy` for
    /// those of `https`, `all_proxy` where there is none of its own, and `no_proxy` for what goes past them: hosts with all
    /// below them, addresses, blocks of addresses (`10.0.0.0/8`), each also with a port, or `*`.
    ///
    /// Names in small letters win over those in capitals. An empty value means: no proxy. In a CGI program, where whoever
    /// calls it can set it, `HTTP_PROXY` is ignored.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` for an address that cannot be used, with the name
    ///   of its variable.
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

    /// The proxy for calls to an origin; `nil` where they go there directly.
    public func proxy(for origin: HTTPOrigin) -> ProxyAddress? {
        // First what costs nothing: most processes have no proxy, and each call asks.
        guard let proxy = origin.scheme == "https" ? https : http, includesLoopback || !origin.isLoopback,
            !exceptions.contains(origin)
        else { return nil }
        return proxy
    }
}
