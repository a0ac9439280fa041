public import Foundation
public import Hablare

/// The context in which an answer is converted. It has the folder for files, and creates the errors for content that
/// cannot be converted.
public struct ConversionContext: Sendable {
    /// The request whose answer is converted.
    public let requestID: UUID
    /// The app's folder for content files; `nil` if the app has not set a folder.
    public let files: MergedFiles?

    /// Creates a context. Only the coordinator and tests need this initializer.
    public init(requestID: UUID, files: MergedFiles? = nil) {
        self.requestID = requestID
        self.files = files
    }

    /// Returns the error for content that a type cannot hold. The message names the kind of content and the type.
    public func mismatch(_ content: ResponseContent, _ type: Any.Type) -> MergeError {
        MergeError(
            .typeMismatch,
            "The answer is \(content.type.rawValue), which cannot be converted to \(type). Request another kind of answer, or merge the answer into another property.",
            requestID: requestID)
    }

    /// Returns the error for content that has the right kind but cannot be read as a type. The message never includes
    /// the content.
    ///
    /// - Parameters:
    ///   - content: The answer.
    ///   - type: The requested type.
    ///   - cause: The reason why the content cannot be read. It must not quote the content.
    public func unreadable(_ content: ResponseContent, as type: Any.Type, cause: String? = nil) -> MergeError {
        MergeError(
            .invalidContent,
            "The answer is \(content.type.rawValue), but it cannot be read as \(type). Read it with `response(for:)`. Request the answer with a schema, or add a rule.",
            requestID: requestID, cause: cause)
    }
}
