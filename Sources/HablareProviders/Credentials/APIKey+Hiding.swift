import Foundation
import Hablare

extension APIKey {
    /// The shortest key that is looked for in errors, in signs. One that is shorter would be found in words.
    private static let shortestHidden = 8

    /// An error without this key, which a server may have said back where nobody expects it: in the name of a media type,
    /// a code, or its own name of the call. Capitals do not matter.
    func hidden(in error: AIServiceError) -> AIServiceError {
        let message = hidden(in: error.message)
        let cause = error.cause.map(hidden)
        guard message != error.message || cause != error.cause else { return error }
        return error.reworded(message, cause: cause)
    }

    /// A text without this key. See ``hidden(in:)-(AIServiceError)``.
    func hidden(in text: String) -> String {
        // Most texts are too short to have it in them; no capital has fewer bytes than its letter in ASCII.
        guard secret.utf8.count >= Self.shortestHidden, text.utf8.count >= secret.utf8.count else { return text }
        return text.replacingOccurrences(of: secret, with: shown, options: .caseInsensitive)
    }
}
