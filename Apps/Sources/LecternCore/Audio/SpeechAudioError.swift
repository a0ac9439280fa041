import HablareAudio

/// The reason why speech could not be read or encoded.
public struct SpeechAudioError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A description of the problem and of how to solve it, in full sentences.
    public let message: String

    /// The message.
    public var description: String { message }

    static func encoding(_ status: CInt) -> SpeechAudioError {
        SpeechAudioError(message: "Opus cannot encode the audio (status \(status)). Update libopus, and try again.")
    }

    /// The audio of a voice cannot be read.
    init(_ error: AudioError) {
        message = "The voice's audio cannot be used. \(error.message)"
    }

    init(message: String) {
        self.message = message
    }
}
