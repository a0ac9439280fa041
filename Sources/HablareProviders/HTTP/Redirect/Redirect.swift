import Foundation
import HTTPTypes

/// Where a call goes on after an answer that points elsewhere (RFC 9110, 15.4). Pure.
///
/// | status | a GET or HEAD | any other call |
/// |---|---|---|
/// | 301, 302 | is made again there | is refused: what everybody does is to make a GET of it, and its body is lost |
/// | 303 | is made again there | it was done; a GET fetches its result |
/// | 307, 308 | is made again there | is made again there, with its body |
///
/// All other answers, and those that name no place, are answers. At most ``limit`` redirects follow each other. From
/// `https` nobody is led to `http`. A call with secrets is not led to another origin, also not from `http` to `https`: it
/// would be made there without its key, and be refused for that. Nor is one with a body, or one that is no GET or HEAD:
/// what is for one server is told to no other. Any other call goes there without the cookies and keys among its fields,
/// and does not get them back on the way.
public enum Redirect {
    /// How many redirects of one call are followed: 5.
    public static let limit = 5

    /// What belongs to a body, and goes with it.
    private static let ofBody: [HTTPField.Name] = [
        .contentType, .contentLength, .contentEncoding, .contentLanguage, .contentLocation, .transferEncoding,
    ]

    /// The next call; `nil` where the answer is none that points elsewhere.
    ///
    /// - Parameters:
    ///   - call: The call that was answered.
    ///   - status: The answer's status.
    ///   - location: The answer's field of that name.
    ///   - followed: How many redirects were followed before this one.
    /// - Throws: ``HTTPFailure`` with the reason ``HTTPFailure/Reason/redirect`` where nobody may follow. It says that the
    ///   call cannot have been carried out, since a server that points elsewhere does nothing itself, unless it says so: a
    ///   303 is the answer to a call that was.
    static func next(
        after call: HTTPCall, status: Int, location: String?, followed: Int
    ) throws(HTTPFailure) -> HTTPCall? {
        guard [301, 302, 303, 307, 308].contains(status), let location, !location.isEmpty else { return nil }
        let isDone = isDone(call, status: status)
        func refusal(_ cause: String) -> HTTPFailure { HTTPFailure(.redirect, mayHaveArrived: isDone, cause: cause) }
        guard followed < limit else { throw refusal("more than \(limit) redirects") }
        guard let url = URL(string: location, relativeTo: call.url)?.absoluteURL, let origin = HTTPOrigin(of: url),
            url.user == nil, url.password == nil
        else { throw refusal("redirect to what is no address") }
        let from = HTTPOrigin(of: call.url)
        guard from?.scheme != "https" || origin.scheme == "https" else { throw refusal("redirect from https to http") }
        // After a 303 the result is fetched, and nothing of the call goes along.
        let isFetch = isDone || (call.method.isSafe && call.body.byteCount == 0)
        guard origin == from || (isFetch && call.secrets.isEmpty) else {
            throw refusal("redirect to \(name(of: origin))")
        }

        var next = call
        next.url = url
        if !call.method.isSafe {
            switch status {
            case 301, 302: throw refusal("redirect of a \(call.method.rawValue) by status \(status)")
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

    /// Whether an answer says that the call was carried out, and where its result is: whatever fails from there on.
    static func isDone(_ call: HTTPCall, status: Int) -> Bool { status == 303 && !call.method.isSafe }

    /// An origin that a server names, as far as it can be one: a server may write anything there.
    private static func name(of origin: HTTPOrigin) -> String {
        ServiceRefusal.isWord(origin.host) ? origin.text : "another origin"
    }
}
