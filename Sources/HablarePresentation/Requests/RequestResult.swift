public import Foundation
public import Hablare

/// The result of a request.
///
/// Two results are equal if they belong to the same answer. The contents are not compared, because comparing them might
/// mean to read files.
public struct RequestResult: Sendable, Hashable {
    /// The provider that answered.
    public let providerID: ProviderID
    /// The kind of the content. `nil` if only the completion of the request is known.
    public let contentType: ContentType?
    /// The size in bytes. `nil` if the content is not a sequence of bytes, or if the size is unknown.
    public let byteCount: Int?
    /// The time at which the answer arrived.
    public let receivedAt: Date?
    /// The answer as text. `nil` if the answer is not text, was not read, or exceeds the limit. ``RequestStatusModel``
    /// reads the text before it shows the answer, so the text does not appear later.
    public internal(set) var text: String?
    /// The answer. `nil` if only the completion of the request is known.
    public let response: AIResponseData?

    /// Creates the result for a response.
    public init(_ response: AIResponseData, content: ResponseContent, text: String? = nil) {
        providerID = response.providerID
        contentType = content.type
        byteCount = content.body?.byteCount
        receivedAt = response.receivedAt
        self.text = text
        self.response = response
    }

    /// Creates the result for a snapshot (the state of a request at one time) of a completed request. The result has no
    /// response.
    public init(_ snapshot: RequestSnapshot) {
        providerID = snapshot.providerID
        contentType = nil
        byteCount = nil
        receivedAt = snapshot.finishedAt
        text = nil
        response = nil
    }

    private struct Identity: Hashable {
        let request: UUID?
        let provider: ProviderID
        let receivedAt: Date?
        let byteCount: Int?
        let text: String?
    }

    private var identity: Identity {
        Identity(
            request: response?.requestID, provider: providerID, receivedAt: receivedAt, byteCount: byteCount, text: text
        )
    }

    /// Returns whether both results belong to the same answer.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.identity == rhs.identity }

    /// Hashes the values that identify an answer.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
