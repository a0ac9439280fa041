package import Foundation

/// An answer that may have been billed, but cannot be used because it does not have the expected form.
///
/// The request fails, but the store keeps the bytes of the answer. See ``AIRequestManager/keptAnswer(for:)``.
public struct KeptAnswer: Sendable, Hashable {
    /// The answer as it arrived, usually as ``ResponseContent/data(_:)``.
    public let content: ResponseContent
    /// The media type that the service stated, such as `text/html`. `nil` if the service stated no media type.
    public let mediaType: String?
    /// Whether the content is only the beginning of the answer, because the answer was too large.
    public let isCut: Bool

    /// Creates a kept answer.
    ///
    /// - Parameters:
    ///   - content: The answer as it arrived.
    ///   - mediaType: The media type that the service stated. Default: none.
    ///   - isCut: Whether the content is only the beginning of the answer. Default: `false`.
    public init(_ content: ResponseContent, mediaType: String? = nil, isCut: Bool = false) {
        self.content = content
        self.mediaType = mediaType
        self.isCut = isCut
    }
}

extension KeptAnswer {
    private static let mediaTypeKey = "media_type"
    private static let cutKey = "cut"

    /// The metadata under which the store keeps the answer.
    var metadata: [String: String] {
        var metadata: [String: String] = [:]
        metadata[Self.mediaTypeKey] = mediaType
        if isCut { metadata[Self.cutKey] = "true" }
        return metadata
    }

    /// Creates a kept answer from a stored answer. Returns `nil` if the content is no longer kept.
    init?(_ stored: AIResponseData) {
        guard case .success(let content) = stored.result else { return nil }
        self.init(
            content, mediaType: stored.metadata[Self.mediaTypeKey], isCut: stored.metadata[Self.cutKey] != nil)
    }
}

extension StoreReading {
    /// Returns the kept answer of a request. Returns `nil` if there is no kept answer, or if its content is no longer
    /// kept.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    package func keptAnswer(for id: UUID) throws -> KeptAnswer? {
        try keptAnswer(of: id).flatMap(KeptAnswer.init)
    }
}
