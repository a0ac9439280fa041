#if os(macOS) || os(Linux)
import Foundation
public import Hablare

extension CommandProvider {
    /// Returns the program's voices in its own order. Returns an empty array if they are unknown
    /// (``CommandVoiceSource/unlisted``, ``CommandVoiceSource/files``).
    ///
    /// The provider asks the program once and caches the answer. Cancelling the task ends the program.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/programMissing``, or another error of running the program.
    public func voices() async throws(AIServiceError) -> [CommandVoice] {
        try await voiceList().voices
    }

    /// Refuses a voice that the program does not have.
    ///
    /// ``generate(_:)`` does the same for a request that names a voice, because many programs speak with another voice
    /// instead of failing. Call this to check a voice in advance, and only once for all parts of a book.
    ///
    /// - Parameter voice: A value for the parameter `voice`.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` with the nearest names for an unknown or invalid
    ///   voice, and the errors of ``voices()``.
    public func validate(voice: String) async throws(AIServiceError) {
        if let placeholder = template.placeholders.first(where: { $0.name == "voice" }) {
            _ = try placeholder.checked(voice)
        }
        switch template.voices {
        case .unlisted:
            return
        case .files:
            guard FileManager.default.isReadableFile(atPath: voice) else {
                throw AIServiceError(
                    .invalidRequest, "There is no voice file at \(voice). Pass the path of one that \(id) can use.")
            }
        case .fixed, .espeakNG, .flite, .hibari:
            try await voiceList().check(voice)
        }
    }
}
#endif
