import Foundation
import HTTPTypes
import Synchronization

/// Decides who may use the server: browsers with the cookie, and, on a network address, clients with the password.
final class AccessControl: Sendable {
    enum Decision: Equatable {
        case allowed
        case refused(FaceProblem, asksForPassword: Bool)
    }

    private struct Throttle {
        var minute = Duration.zero
        var wrong = 0
    }

    private let name: String
    private let token: AccessToken
    private let password: FaceAddress.Password?
    private let allowedWrong: Int
    private let clock: FaceClock
    private let throttle = Mutex(Throttle())

    init(name: String, token: AccessToken, options: FaceOptions, clock: FaceClock) {
        self.name = name
        self.token = token
        self.clock = clock
        allowedWrong = options.limits.wrongPasswords
        if case .network(_, let password) = options.address { self.password = password } else { password = nil }
    }

    /// Returns the cookie's name. Browsers do not separate cookies by port, so the name contains it.
    func cookieName(port: Int) -> String { "\(name)-\(port)" }

    /// Returns the value of the header field that gives a browser access.
    ///
    /// The cookie is not `Secure`, because the connection is plain HTTP.
    func cookie(port: Int) -> String {
        "\(cookieName(port: port))=\(token.value); Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"
    }

    /// Returns whether a start URL carries the token.
    func accepts(token text: String) -> Bool { token.matches(text) }

    /// Decides about a request.
    func decide(_ fields: HTTPFields, port: Int) -> Decision {
        if cookies(in: fields, named: cookieName(port: port)).contains(where: token.matches) { return .allowed }
        guard let password else { return .refused(locked, asksForPassword: false) }
        guard let given = Self.password(in: fields) else { return .refused(locked, asksForPassword: true) }
        return check(given, password)
    }

    private func check(_ given: String, _ password: FaceAddress.Password) -> Decision {
        let now = clock.elapsed()
        return throttle.withLock { throttle in
            if now - throttle.minute >= .seconds(60) { throttle = Throttle(minute: now) }
            guard throttle.wrong < allowedWrong else {
                return .refused(
                    FaceProblem(
                        .tooManyRequests, code: "tooManyPasswords", title: "Too many wrong passwords",
                        detail: "Wait a minute, then try again.",
                        retryAfter: .seconds(60) - (now - throttle.minute)), asksForPassword: false)
            }
            if given.isEqualInConstantTime(to: password.value) { return .allowed }
            throttle.wrong += 1
            return .refused(locked, asksForPassword: true)
        }
    }

    private func cookies(in fields: HTTPFields, named name: String) -> [String] {
        fields[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmingPrefix(while: { $0 == " " }) == name else { return nil }
            return String(parts[1])
        }
    }

    /// Returns the password of `Authorization: Bearer PASSWORD` or of Basic with any user name.
    private static func password(in fields: HTTPFields) -> String? {
        guard let value = fields[.authorization] else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch parts[0].lowercased() {
        case "bearer": return String(parts[1])
        case "basic":
            guard let data = Data(base64Encoded: String(parts[1])) else { return nil }
            let pair = String(decoding: data, as: UTF8.self).split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return pair.count == 2 ? String(pair[1]) : nil
        default: return nil
        }
    }

    private var locked: FaceProblem {
        FaceProblem(
            .unauthorized, code: "locked", title: "This page is locked",
            detail: password == nil
                ? "Open the link that '\(name) serve' printed. If you came from another site, follow 'Try again'."
                : "Enter the password that \(name) was started with. The user name does not matter.")
    }
}
