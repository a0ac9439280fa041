import Hablare

/// Messages for users that describe errors.
public enum ErrorMessage {
    /// The message for errors that have no specific message.
    public static let generic = "That did not work. Please try again."

    /// Returns an error's message for users. An ``/Hablare/AIServiceError`` has its own message with advice. A
    /// ``FallbackError`` has the message of its remote failure. Any other error has ``generic``, because its
    /// description may show internal details.
    public static func standard(for error: any Error) -> String {
        switch error {
        case let error as AIServiceError: error.message
        case let error as FallbackError: standard(for: error.remote)
        default: generic
        }
    }
}
