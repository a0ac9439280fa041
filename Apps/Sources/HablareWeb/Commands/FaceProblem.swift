import Foundation
public import HTTPTypes
import HablarePresentation

/// A problem that a page shows: what is wrong and what to do. It is sent as `application/problem+json` (RFC 9457).
public struct FaceProblem: Error, Sendable, Hashable {
    /// The status of the response. Default: 500.
    public var status: HTTPResponse.Status
    /// A stable name for scripts and tests, such as `photoGone`.
    public var code: String
    /// A short summary that does not change from case to case.
    public var title: String
    /// The text that says what is wrong here and what to do.
    public var detail: String
    /// The time after which the page may send the same command again. `nil` if that would not help.
    public var retryAfter: Duration?

    /// Creates a problem.
    public init(
        _ status: HTTPResponse.Status, code: String, title: String, detail: String, retryAfter: Duration? = nil
    ) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// Describes an error with the advice of `ErrorMessage`, which never shows internal details. A problem stays itself.
    public init(_ error: any Error) {
        if let problem = error as? FaceProblem {
            self = problem
        } else {
            self.init(
                .internalServerError, code: "failed", title: "That did not work",
                detail: ErrorMessage.standard(for: error))
        }
    }
}

extension FaceProblem: Encodable {
    private enum CodingKeys: String, CodingKey {
        case type, status, code, title, detail, retryAfter
    }

    /// Encodes `type`, `status`, `code`, `title`, `detail` and `retryAfter` in seconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("urn:hablare:problem:\(code)", forKey: .type)
        try container.encode(status.code, forKey: .status)
        try container.encode(code, forKey: .code)
        try container.encode(title, forKey: .title)
        try container.encode(detail, forKey: .detail)
        try container.encodeIfPresent(retryAfter.map { $0 / .seconds(1) }, forKey: .retryAfter)
    }
}
