public import Foundation

/// The error type of the engine. An error contains the kind of failure, the next step, and a message that says what to
/// do.
///
/// It is a value (`Sendable`, `Hashable`, `Codable`), because a failed request keeps its error on disk. Messages never
/// contain a prompt, a response or a credential.
public struct AIServiceError: Error, Sendable, Hashable, Codable {
    /// The kind of failure. Providers may define codes of their own.
    public struct Code: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
        /// The stable text of the code, as stored and as printed in JSON.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The text of the code.
        public var description: String { rawValue }
    }

    /// The part of the system that failed.
    public enum Category: String, Sendable, Hashable, Codable, CaseIterable {
        /// The set-up is wrong: a missing program, key, provider or option.
        case configuration
        /// The connection to the provider failed.
        case network
        /// The provider answered, and the answer is a failure.
        case provider
        /// The data sent or received cannot be used.
        case data
        /// The store or a file failed.
        case storage
        /// The operation ended for another reason, such as a timeout, a conflict or a shutdown.
        case operation
    }

    /// The parts are in one heap object, so that an error takes little space in a value. Otherwise every `Result` would
    /// be as large as all parts together, although errors are rare.
    private struct Parts: Sendable, Hashable, Codable {
        /// The coding keys of all properties except the kept answer. The kept answer is not encoded, because the store
        /// keeps it separately.
        enum CodingKeys: String, CodingKey {
            case code, category, message, disposition, cause, billing
        }

        let code: Code
        let category: Category
        let message: String
        let disposition: FailureDisposition
        let cause: String?
        let billing: FailureBilling?
        var kept: KeptAnswer?
    }

    private let parts: Box<Parts>

    /// The kind of failure.
    public var code: Code { parts.value.code }
    /// The part of the system that failed.
    public var category: Category { parts.value.category }
    /// A description of the failure and the remedy, for people.
    public var message: String { parts.value.message }
    /// The next step after the failure.
    public var disposition: FailureDisposition { parts.value.disposition }
    /// The underlying failure as it was reported, for logs. It never contains a prompt, a response or a credential.
    public var cause: String? { parts.value.cause }
    /// The billing of a call whose answer arrived but cannot be used. If this is `nil`, ``disposition`` determines the
    /// billing:
    /// - After ``FailureDisposition/outcomeUnknown``, the call may have been billed.
    /// - After any other disposition, the call was not billed.
    public var billing: FailureBilling? { parts.value.billing }
    /// The answer that arrived but cannot be used. A provider sets it, and the engine moves it into the store. It is
    /// therefore `nil` in the error of a stored request. To read the answer, call
    /// ``AIRequestManager/keptAnswer(for:)``.
    public var keptAnswer: KeptAnswer? { parts.value.kept }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: The failure, and what to do about it. Never put a prompt, a response or a credential into it.
    ///   - category: The part of the system that failed. Default: the category of the code (``Code/category``).
    ///   - disposition: The next step after the failure. Default: the disposition of the code (``Code/disposition``).
    ///   - cause: The underlying failure as it was reported. Default: none.
    ///   - billing: The billing of the call. Default: the disposition determines the billing.
    public init(
        _ code: Code,
        _ message: String,
        category: Category? = nil,
        disposition: FailureDisposition? = nil,
        cause: String? = nil,
        billing: FailureBilling? = nil
    ) {
        parts = Box(
            Parts(
                code: code, category: category ?? code.category, message: message,
                disposition: disposition ?? code.disposition, cause: cause, billing: billing))
    }

    private init(_ parts: Parts) {
        self.parts = Box(parts)
    }

    /// Returns the same error with the answer that arrived but cannot be used.
    ///
    /// A provider calls this method if a service has done the work but its answer does not have the expected form. The
    /// service may bill the answer, so the engine stores it with the request.
    public func keeping(_ answer: KeptAnswer?) -> AIServiceError {
        var parts = parts.value
        parts.kept = answer
        return AIServiceError(parts)
    }

    /// Decodes an error.
    public init(from decoder: any Decoder) throws {
        parts = Box(try Parts(from: decoder))
    }

    /// Encodes the error, with its fields under their names.
    public func encode(to encoder: any Encoder) throws {
        try parts.value.encode(to: encoder)
    }

    /// Whether the same call may succeed later, even if nothing is changed.
    public var isRetryable: Bool {
        if case .retry = disposition { true } else { false }
    }

    /// The minimum time to wait before the next attempt, or `nil` if the provider gave none.
    public var retryAfter: Duration? {
        if case .retry(let after) = disposition { after } else { nil }
    }
}

extension AIServiceError: CustomStringConvertible, LocalizedError {
    /// The message, followed by the code.
    public var description: String { "\(message) [\(code)]" }
    /// The message.
    public var errorDescription: String? { message }
}
