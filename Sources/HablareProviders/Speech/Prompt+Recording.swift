import Foundation
import Hablare

/// A prompt that is to be transcribed: its audio and its text.
struct PromptRecording: Sendable, Hashable {
    let body: Body
    let format: AudioFormat
    /// The prompt's text, which guides the transcription, such as names, words, or the preceding text. Empty if there
    /// is none.
    let hint: String
}

extension Prompt {
    /// Returns the only recording of the prompt.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for a prompt without audio or with several recordings,
    ///   for a part that is not audio or text, and for audio without bytes.
    func recording(for provider: ProviderID) throws(AIServiceError) -> PromptRecording {
        var recordings: [(Body, AudioFormat)] = []
        for part in parts {
            switch part {
            case .text: continue
            case .audio(let body, let format): recordings.append((body, format))
            default:
                throw AIServiceError(
                    .invalidRequest,
                    "The provider \(provider) accepts only audio, and no \(part.kind). Leave the \(part.kind) out.")
            }
        }
        guard recordings.count == 1, let (body, format) = recordings.first else {
            throw AIServiceError(
                .invalidRequest,
                "The provider \(provider) transcribes one recording at a time, but the prompt has \(recordings.count). Submit one request for each recording."
            )
        }
        guard body.byteCount > 0 else {
            throw AIServiceError(
                .invalidRequest, "The recording for the provider \(provider) is empty. Pass a recording with sound.")
        }
        return PromptRecording(body: body, format: format, hint: plainText)
    }
}
