#if os(macOS) || os(Linux)
import Foundation
public import Hablare

extension CommandProvider {
    /// The voices the program has, in its own order; empty where they are not known (``CommandVoiceSource/unlisted``,
    /// ``CommandVoiceSource/files``).
    ///
    /// The program is asked once, and its answer kept as long as the provider. Cancelling the task ends it.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/programMissing``, or another error of running the program.
    public func voices() async throws(AIServiceError) -> [CommandVoice] {
        try await voiceList().voices
    }

    /// Refuses a voice that the program does not have.
    ///
    /// ``generate(_:)`` does the same for a request that names a voice, because many programs speak with another voice
    /// rather than fail. Call it to know beforehand, and once instead of for every part of a book.
    ///
    /// - Parameter voice: A value for the parameter `voice`.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` with the nearest names for a voice that does not exist
    ///   or cannot be one, and the errors of ``voices()``.
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
                    .invalidRequest, "There is no voice file at \(voice). Give the path of one that \(id) can use.")
            }
        case .fixed, .espeakNG, .flite, .hibari:
            try await voiceList().check(voice)
        }
    }
}
#endif
