/// The reason why a resource could not be loaded, for users.
public struct ResourceErrorViewModel: Sendable, Hashable, Codable {
    /// The message; `nil` if there is no error.
    public let message: String?

    /// Creates a view model with a message; `nil` for no error.
    public init(message: String?) {
        self.message = message
    }

    /// No error.
    public static let none = ResourceErrorViewModel(message: nil)
}
