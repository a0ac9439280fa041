#if os(macOS) || os(Linux)
import Foundation
public import Hablare

extension CommandProvider {
    /// Returns the program's voices in the program's order. Returns an empty array if the voices are unknown
    /// (``CommandVoiceSource/unlisted``, ``CommandVoiceSource/files``).
    ///
    /// The provider asks the program once and caches the answer. Cancelling the task ends the program.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/programMissing``, or another error of running the program.
    public func voices() async throws(AIServiceError) -> [CommandVoice] {
        try await voiceList().voices
    }

    /// Throws an error if the program does not have a voice.
    ///
    /// ``generate(_:)`` makes the same check for each request that names a voice, because many programs use another
    /// voice instead of failing. Call this method to check a voice in advance, for example once for all parts of a
    /// book.
    ///
    /// - Parameter voice: A value for the parameter `voice`.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for an unknown or invalid voice; the error lists the
    ///   nearest names. Also the errors of ``voices()``.
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
                    .invalidRequest,
                    "There is no voice file at \(voice). Pass the path of a voice file that \(id) can use.")
            }
        case .fixed, .espeakNG, .flite, .hibari:
            try await voiceList().check(voice)
        }
    }
}
#endif
