public import Foundation
public import Hablare

/// What a request brought.
///
/// Two results are equal when they are of the same answer: contents are not compared, which might mean to read a file.
public struct RequestResult: Sendable, Hashable {
    /// Who answered.
    public let providerID: ProviderID
    /// What kind of content it is; `nil` where only that it is done is known.
    public let contentType: ContentType?
    /// How large it is, in bytes; `nil` for what is no sequence of bytes, or is not known.
    public let byteCount: Int?
    /// When it arrived.
    public let receivedAt: Date?
    /// The answer as text, where it is text, was read, and is not longer than the limit. ``RequestStatusModel`` reads it before
    /// it shows the answer; `nil` there means that there is none to come while it watches.
    public internal(set) var text: String?
    /// The answer; `nil` where only that it is done is known.
    public let response: AIResponseData?

    /// Creates the view of a response.
    public init(_ response: AIResponseData, content: ResponseContent, text: String? = nil) {
        providerID = response.providerID
        contentType = content.type
        byteCount = content.body?.byteCount
        receivedAt = response.receivedAt
        self.text = text
        self.response = response
    }

    /// Creates the view of what is known of a completed request without its response.
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

    /// Whether both are of the same answer.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.identity == rhs.identity }

    /// Hashes what tells answers apart.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
