public import Hablare

/// A failure of a service, and what its provider is to make of it.
public struct ProviderFailureRow: Sendable, Hashable, CustomStringConvertible {
    /// What the service says, in a word or two: `429 insufficient_quota`.
    public let name: String
    /// The error's code.
    public let code: AIServiceError.Code
    /// Whose move it is.
    public let disposition: FailureDisposition

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - name: What the service says, in a word or two.
    ///   - code: The error's code.
    ///   - disposition: Whose move it is. Default: the code's own.
    public init(_ name: String, _ code: AIServiceError.Code, _ disposition: FailureDisposition? = nil) {
        self.name = name
        self.code = code
        self.disposition = disposition ?? code.disposition
    }

    /// What the service says.
    public var description: String { name }
}
