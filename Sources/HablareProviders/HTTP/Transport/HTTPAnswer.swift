public import HTTPTypes

/// A server's answer: its head (status and header fields), and a body that may still be arriving.
public struct HTTPAnswer: Sendable {
    /// The status, such as 200 or 404.
    public let status: Int
    /// The header fields.
    public let fields: HTTPFields
    /// The body. If you release the body before you have read it to the end, the transfer ends.
    public let body: HTTPPieces
    /// Whether a redirect with status 303 said that the call was carried out. If `true`, the call must not be repeated,
    /// even if this answer reports a failure. Default: `false`.
    public var wasCarriedOut = false

    /// Creates an answer.
    public init(status: Int, fields: HTTPFields = [:], body: HTTPPieces = HTTPPieces([])) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
