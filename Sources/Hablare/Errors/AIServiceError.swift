public import Foundation

/// The one error of the engine: what failed, whose move it is, and what to do about it.
///
/// It is a value (`Sendable`, `Hashable`, `Codable`) because a failed request keeps its error on disk. Messages never
/// contain a prompt, a response or a credential.
public struct AIServiceError: Error, Sendable, Hashable, Codable {
    /// What went wrong. Open for extension: providers may add codes of their own.
    public struct Code: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
        /// The code's stable text, as stored and as printed in JSON.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }
    }

    /// Which part of the world failed.
    public enum Category: String, Sendable, Hashable, Codable, CaseIterable {
        /// The set-up is wrong: a missing program, key, provider or option.
        case configuration
        /// The way to the provider failed.
        case network
        /// The provider answered, and the answer is a failure.
        case provider
        /// What was sent or received cannot be used.
        case data
        /// The store or a file failed.
        case storage
        /// The operation ended for a reason of its own: timeout, conflict, shutdown.
        case operation
    }

    /// In an object of their own, so that a result is not as large as its rare failure.
    private struct Parts: Sendable, Hashable, Codable {
        let code: Code
        let category: Category
        let message: String
        let disposition: FailureDisposition
        let cause: String?
        let billing: FailureBilling?
    }

    private let parts: Boxed<Parts>

    /// What went wrong.
    public var code: Code { parts.value.code }
    /// Which part of the world failed.
    public var category: Category { parts.value.category }
    /// What happened and what to do, in sentences a person can act on.
    public var message: String { parts.value.message }
    /// Whose move it is.
    public var disposition: FailureDisposition { parts.value.disposition }
    /// The underlying failure in its own words, for logs. Never a prompt, a response or a credential.
    public var cause: String? { parts.value.cause }
    /// What is known of the bill for the call, where an answer came and is of no use. `nil`: what the disposition means,
    /// maybe billed where the outcome is unknown, else not.
    public var billing: FailureBilling? { parts.value.billing }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: What happened and what to do.
    ///   - category: The part of the world that failed. Default: the code's own, ``Code/category``.
    ///   - disposition: Whose move it is. Default: the code's own.
    ///   - cause: The underlying failure in its own words.
    ///   - billing: What is known of the bill. Default: what the disposition means.
    public init(
        _ code: Code,
        _ message: String,
        category: Category? = nil,
        disposition: FailureDisposition? = nil,
        cause: String? = nil,
        billing: FailureBilling? = nil
    ) {
        parts = Boxed(
            Parts(
                code: code, category: category ?? code.category, message: message,
                disposition: disposition ?? code.disposition, cause: cause, billing: billing))
    }

    /// Decodes an error.
    public init(from decoder: any Decoder) throws {
        parts = Boxed(try Parts(from: decoder))
    }

    /// Encodes the error, its fields by their names.
    public func encode(to encoder: any Encoder) throws {
        try parts.value.encode(to: encoder)
    }

    /// Whether trying the same call again can help without anybody changing anything.
    public var isRetryable: Bool {
        if case .retry = disposition { true } else { false }
    }

    /// The least time to wait before the next attempt, when the other side gave one.
    public var retryAfter: Duration? {
        if case .retry(let after) = disposition { after } else { nil }
    }
}

extension AIServiceError: CustomStringConvertible, LocalizedError {
    /// The message and the code.
    public var description: String { "\(message) [\(code)]" }
    /// The message.
    public var errorDescription: String? { message }
}
