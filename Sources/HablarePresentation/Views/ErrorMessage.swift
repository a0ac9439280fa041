import Hablare

/// What is said of an error to people.
public enum ErrorMessage {
    /// What is said where nothing better is known.
    public static let generic = "That did not work. Please try again."

    /// The message of an ``/Hablare/AIServiceError``, which says what to do; of a ``FallbackError`` that of its remote failure; of any
    /// other error ``generic``, because its own words may be internals that nobody is to see.
    public static func standard(for error: any Error) -> String {
        switch error {
        case let error as AIServiceError: error.message
        case let error as FallbackError: standard(for: error.remote)
        default: generic
        }
    }
}
