public import HTTPTypes

/// What a server answers: its head, and a body that is still on its way.
public struct HTTPAnswer: Sendable {
    /// The status: 200, 404 …
    public let status: Int
    /// What the server says beside the body.
    public let fields: HTTPFields
    /// The body. Whoever lets go of it before its end ends the transfer.
    public let body: HTTPPieces
    /// Whether a server had said on the way here that the call was carried out, and where its result is (303): whatever
    /// this answer is, the call is not to be made again as if nothing had happened. Default: `false`.
    public var wasCarriedOut = false

    /// Creates an answer.
    public init(status: Int, fields: HTTPFields = [:], body: HTTPPieces = HTTPPieces([])) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
