/// Why a resource could not be loaded, in words for people.
public struct ResourceErrorViewModel: Sendable, Hashable, Codable {
    /// The message; `nil` where there is no error.
    public let message: String?

    /// Creates a view model with a message; `nil` for no error.
    public init(message: String?) {
        self.message = message
    }

    /// No error.
    public static let none = ResourceErrorViewModel(message: nil)
}
