import Foundation
import Hablare

extension APIKey {
    /// The minimum length of a key that is hidden in errors, in characters. A shorter key could match parts of ordinary
    /// words.
    private static let shortestHidden = 8

    /// Returns a copy of an error without this key, in upper or lower case. A server may repeat the key in unexpected
    /// places, such as a media type, a code, or the request id.
    func hidden(in error: AIServiceError) -> AIServiceError {
        let message = hidden(in: error.message)
        let cause = error.cause.map(hidden)
        guard message != error.message || cause != error.cause else { return error }
        return error.reworded(message, cause: cause)
    }

    /// Returns a copy of a text without this key. See ``hidden(in:)-(AIServiceError)``.
    func hidden(in text: String) -> String {
        // Most texts are shorter than the key. Case does not change the length in bytes, because a key is ASCII.
        guard secret.utf8.count >= Self.shortestHidden, text.utf8.count >= secret.utf8.count else { return text }
        return text.replacingOccurrences(of: secret, with: shown, options: .caseInsensitive)
    }
}

extension [APIKey] {
    /// Returns a copy of an error without these keys.
    func hidden(in error: AIServiceError) -> AIServiceError { reduce(error) { $1.hidden(in: $0) } }

    /// Returns a copy of a text without these keys.
    func hidden(in text: String) -> String { reduce(text) { $1.hidden(in: $0) } }
}
