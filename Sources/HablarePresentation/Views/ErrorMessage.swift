import Hablare

/// Messages for users that describe errors.
public enum ErrorMessage {
    /// The message for errors that have no specific message.
    public static let generic = "That did not work. Please try again."

    /// Returns a message for users that describes an error. An ``/Hablare/AIServiceError`` has its own message with
    /// advice. For a ``FallbackError``, the method returns the message for its remote error. For any other error, the
    /// method returns ``generic``, because the error's description may show internal details.
    public static func standard(for error: any Error) -> String {
        switch error {
        case let error as AIServiceError: error.message
        case let error as FallbackError: standard(for: error.remote)
        default: generic
        }
    }
}
