import HTTPTypes

/// The rules that keep other machines and other sites out. It decides from the header of a request alone.
///
/// - `Host` must name this machine and our port. So a foreign name that resolves to this machine (DNS rebinding) is
///   refused. With a network address, it may be any IP address or a listed name: a name in DNS is what an attacker needs.
/// - A request other than GET and HEAD must come from one of our own pages: `Origin` and `Sec-Fetch-Site` must say so.
///   A program without a browser sends `Sec-Fetch-Site: same-origin` itself.
/// - A GET of another site is only answered as a navigation, in which the other site cannot read the answer.
/// - A body must be JSON, because other sites cannot send JSON without asking. Commands for pages without scripts may
///   also take forms.
struct LoopbackGuard: Sendable {
    /// The names that clients may use for a server that listens on a network address. `nil` for loopback.
    let networkNames: Set<String>?

    init(_ options: FaceOptions) {
        switch options.address {
        case .loopback: networkNames = nil
        case .network(let host, _): networkNames = Set((options.hostNames + [host]).map { $0.lowercased() })
        }
    }

    /// Returns why a request is refused, or `nil` if it is not.
    ///
    /// - Parameters:
    ///   - head: The header of the request.
    ///   - port: The port on which the request arrived.
    ///   - takesForms: Whether the route takes forms.
    func problem(of head: HTTPRequest, port: Int, takesForms: Bool) -> FaceProblem? {
        guard let path = head.path, path.hasPrefix("/") else {
            return FaceProblem(
                .badRequest, code: "invalidTarget", title: "The request is not valid", detail: "Send a path.")
        }
        guard let host = head.authority, head.headerFields[.secondHost] == nil, isOurs(host, port: port) else {
            return FaceProblem(
                .misdirectedRequest, code: "foreignHost", title: "This server does not have that name",
                detail: "Open the link that the program printed. Pass --host-name to allow another name.")
        }
        switch head.method {
        case .get, .head:
            return isFetchedByAnotherSite(head.headerFields) ? Self.foreignOrigin : nil
        case .post:
            guard isSentByOurPage(head.headerFields, host: host) else { return Self.foreignOrigin }
            return hasAllowedBody(head.headerFields, takesForms: takesForms) ? nil : Self.unsupportedBody
        default:
            return FaceProblem(
                .methodNotAllowed, code: "method", title: "The method is not allowed",
                detail: "Use GET to read and POST to act.")
        }
    }

    private func isOurs(_ host: String, port: Int) -> Bool {
        guard let (name, given) = Self.split(host) else { return false }
        if let networkNames, networkNames.contains(name) { return true }  // a proxy may have another port
        guard (given ?? 80) == port else { return false }
        return ["localhost", "127.0.0.1", "[::1]"].contains(name) || networkNames != nil && Self.isAddress(name)
    }

    /// Splits `name:port`. The name is in lower case, and an IPv6 address keeps its brackets.
    static func split(_ host: String) -> (name: String, port: Int?)? {
        guard let colon = host.lastIndex(of: ":"), host[colon...].last != "]", !host[colon...].contains("]") else {
            return host.isEmpty ? nil : (host.lowercased(), nil)
        }
        let digits = host[host.index(after: colon)...]
        guard let port = UInt16(digits), digits.allSatisfy(\.isNumber), colon > host.startIndex else { return nil }
        return (host[..<colon].lowercased(), Int(port))
    }

    private static func isAddress(_ name: String) -> Bool {
        if name.hasPrefix("["), name.hasSuffix("]") { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    private func isSentByOurPage(_ fields: HTTPFields, host: String) -> Bool {
        let site = fields[.secFetchSite]
        let origin = fields[.origin]
        guard site != nil || origin != nil else { return false }
        if let site, site != "same-origin" { return false }
        if let origin, origin != "http://\(host)", origin != "https://\(host)" { return false }
        return true
    }

    private func isFetchedByAnotherSite(_ fields: HTTPFields) -> Bool {
        guard let site = fields[.secFetchSite], site != "same-origin", site != "none" else { return false }
        return fields[.secFetchMode] != "navigate" || fields[.secFetchDest].map { $0 != "document" } ?? false
    }

    private func hasAllowedBody(_ fields: HTTPFields, takesForms: Bool) -> Bool {
        let type = fields[.contentType]?.split(separator: ";").first?.trimmingSuffixSpaces().lowercased()
        return type == "application/json" || takesForms && type == "application/x-www-form-urlencoded"
    }

    private static let foreignOrigin = FaceProblem(
        .forbidden, code: "foreignOrigin", title: "The request came from another site",
        detail: "Use the program's own pages. A script without a browser sends 'Sec-Fetch-Site: same-origin'.")
    private static let unsupportedBody = FaceProblem(
        .unsupportedMediaType, code: "bodyType", title: "The body is not JSON",
        detail: "Send a JSON object with 'Content-Type: application/json'.")
}

extension Substring {
    fileprivate func trimmingSuffixSpaces() -> Substring {
        var text = self
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}

extension HTTPField.Name {
    /// A `Host` besides the one that became the authority of the request.
    static let secondHost = Self.named("Host")
    static let secFetchSite = Self.named("Sec-Fetch-Site")
    static let secFetchMode = Self.named("Sec-Fetch-Mode")
    static let secFetchDest = Self.named("Sec-Fetch-Dest")
    static let referrerPolicy = Self.named("Referrer-Policy")
    static let openerPolicy = Self.named("Cross-Origin-Opener-Policy")
    static let resourcePolicy = Self.crossOriginResourcePolicy
    static let frameOptions = Self.named("X-Frame-Options")
    static let stateBase = Self.named("State-Base")
    static let idempotentReplayed = Self.named("Idempotent-Replayed")

    /// Returns the name of a field. An invalid name would become `Origin`, which is never "same-origin", so that the
    /// guard refuses. A test keeps all names valid.
    private static func named(_ text: String) -> Self { Self(text) ?? .origin }
}
