import Foundation
import HTTPTypes

/// The rules for redirects (RFC 9110, 15.4).
///
/// | status | GET or HEAD | any other method |
/// |---|---|---|
/// | 301, 302 | repeated at the new address | refused, because clients usually send a GET without the body |
/// | 303 | repeated at the new address | the call was carried out; a GET fetches its result |
/// | 307, 308 | repeated at the new address | repeated at the new address, with its body |
///
/// All other answers, and redirects without an address, are returned to the caller. At most ``limit`` redirects are
/// followed in a row. A redirect from `https` to `http` is refused.
///
/// A redirect to another origin, including from `http` to `https`, is refused in two cases:
///
/// - The call has secrets. Without its secrets, the call would fail at the other origin.
/// - The call has a body, or a method other than GET and HEAD. The other origin would receive data that is not meant
///   for it.
///
/// Any other call is sent to the other origin, without its fields for cookies and keys. These fields stay removed, even
/// if a later redirect leads back to the first origin.
public enum Redirect {
    /// The maximum number of redirects per call: 5.
    public static let limit = 5

    /// The fields that describe a body. They are removed together with the body.
    private static let ofBody: [HTTPField.Name] = [
        .contentType, .contentLength, .contentEncoding, .contentLanguage, .contentLocation, .transferEncoding,
    ]

    /// Returns the next call; `nil` if the answer is not a redirect.
    ///
    /// - Parameters:
    ///   - call: The call that was answered.
    ///   - status: The answer's status.
    ///   - location: The answer's `location` field.
    ///   - followed: The number of redirects followed before this one.
    /// - Throws: ``HTTPFailure`` with the reason ``HTTPFailure/Reason/redirect`` if the redirect must not be followed.
    ///   The failure says that the call was not carried out, because a server that redirects a call does not carry it
    ///   out. After a 303, the failure says that the call was carried out.
    static func next(
        after call: HTTPCall, status: Int, location: String?, followed: Int
    ) throws(HTTPFailure) -> HTTPCall? {
        guard [301, 302, 303, 307, 308].contains(status), let location, !location.isEmpty else { return nil }
        let isDone = isDone(call, status: status)
        func refusal(_ cause: String) -> HTTPFailure { HTTPFailure(.redirect, mayHaveArrived: isDone, cause: cause) }
        guard followed < limit else { throw refusal("more than \(limit) redirects") }
        guard let url = URL(string: location, relativeTo: call.url)?.absoluteURL, let origin = HTTPOrigin(of: url),
            url.user == nil, url.password == nil
        else { throw refusal("redirect to an invalid address") }
        let from = HTTPOrigin(of: call.url)
        guard from?.scheme != "https" || origin.scheme == "https" else { throw refusal("redirect from https to http") }
        // After a 303 only the result is fetched, without anything of the call.
        let isFetch = isDone || (call.method.isSafe && call.body.byteCount == 0)
        guard origin == from || (isFetch && call.secrets.isEmpty) else {
            throw refusal("redirect to \(name(of: origin))")
        }

        var next = call
        next.url = url
        if !call.method.isSafe {
            switch status {
            case 301, 302: throw refusal("redirect of a \(call.method.rawValue) with status \(status)")
            case 303:
                next.method = .get
                next.body = .none
                for name in ofBody { next.fields[name] = nil }
            default: break
            }
        }
        if origin != from {
            for name in HTTPField.Name.credentials { next.fields[name] = nil }
        }
        return next
    }

    /// Returns whether an answer (a 303) says that the call was carried out and where its result is. Later failures do
    /// not change this.
    static func isDone(_ call: HTTPCall, status: Int) -> Bool { status == 303 && !call.method.isSafe }

    /// Returns an origin that a server sent, for a message. A server may send any text, so only a text that has the
    /// form of an origin is returned.
    private static func name(of origin: HTTPOrigin) -> String {
        ServiceRefusal.isWord(origin.host) ? origin.text : "another origin"
    }
}
