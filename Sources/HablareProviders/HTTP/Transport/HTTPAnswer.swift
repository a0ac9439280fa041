public import HTTPTypes

/// A server's answer: its head, and a body that is still arriving.
public struct HTTPAnswer: Sendable {
    /// The status: 200, 404 …
    public let status: Int
    /// The header fields.
    public let fields: HTTPFields
    /// The body. Releasing it before its end ends the transfer.
    public let body: HTTPPieces
    /// Whether a 303 during the redirects reported that the call was carried out. The call must then not be repeated as
    /// if it had not happened, no matter what this answer is. Default: `false`.
    public var wasCarriedOut = false

    /// Creates an answer.
    public init(status: Int, fields: HTTPFields = [:], body: HTTPPieces = HTTPPieces([])) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
