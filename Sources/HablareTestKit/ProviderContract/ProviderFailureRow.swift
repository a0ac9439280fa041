public import Hablare

/// A failure of a service, with the error that the provider should report for it.
public struct ProviderFailureRow: Sendable, Hashable, CustomStringConvertible {
    /// A short name of the service's response, such as `429 insufficient_quota`. It is shown in the names of tests.
    public let name: String
    /// The error's code.
    public let code: AIServiceError.Code
    /// The disposition of the error.
    public let disposition: FailureDisposition

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - name: A short name of the service's response.
    ///   - code: The error's code.
    ///   - disposition: The disposition of the error. Default: the default disposition of the code.
    public init(_ name: String, _ code: AIServiceError.Code, _ disposition: FailureDisposition? = nil) {
        self.name = name
        self.code = code
        self.disposition = disposition ?? code.disposition
    }

    /// The name of the service's response.
    public var description: String { name }
}
