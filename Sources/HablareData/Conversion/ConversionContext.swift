public import Foundation
public import Hablare

/// What a conversion may use beside the content: where files are kept, and the errors that name what did not fit.
public struct ConversionContext: Sendable {
    /// The request whose answer is converted.
    public let requestID: UUID
    /// Where content files of the app are kept; `nil` where the app gave no folder.
    public let files: MergedFiles?

    /// Creates a context; the coordinator does.
    public init(requestID: UUID, files: MergedFiles? = nil) {
        self.requestID = requestID
        self.files = files
    }

    /// The error of content that a type cannot hold, naming both.
    public func mismatch(_ content: ResponseContent, _ type: Any.Type) -> MergeError {
        MergeError(
            .typeMismatch,
            "The answer is \(content.type.rawValue), which cannot become \(type). Ask for another kind of answer, or merge it into another property.",
            requestID: requestID)
    }

    /// The error of content that is of the right kind, and cannot be read as a type. Never says the content.
    ///
    /// - Parameters:
    ///   - content: What was answered.
    ///   - type: What it should have become.
    ///   - cause: What about it cannot be read, without its words.
    public func unreadable(_ content: ResponseContent, as type: Any.Type, cause: String? = nil) -> MergeError {
        MergeError(
            .invalidContent,
            "The answer is \(content.type.rawValue) that cannot be read as \(type). Look at it with `response(for:)`, and ask for it with a schema or a rule.",
            requestID: requestID, cause: cause)
    }
}
