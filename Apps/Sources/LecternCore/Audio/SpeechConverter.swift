import Foundation
public import HablareAudio

/// Converts the audio of any voice into ``EncodedSpeech``: one channel, 24 kHz, Opus. So the verses of all voices can
/// follow one another.
public enum SpeechConverter {
    /// The sample rates that are converted, in frames per second.
    private static let rates = 4_000...192_000

    /// Converts audio sources, one after another. Memory does not depend on the length of the audio, except for the
    /// result.
    ///
    /// Blocks the thread, so call it off the main actor. Checks for cancellation between blocks of 4,096 frames.
    ///
    /// - Throws: ``SpeechAudioError`` if a source is not audio or has no frame, and `CancellationError`.
    public static func convert(_ sources: [AudioSource]) throws -> EncodedSpeech {
        let encoder = try OpusPacketEncoder()
        for source in sources {
            do {
                try convert(source, into: encoder)
            } catch let error as AudioError {
                throw SpeechAudioError(error)
            }
        }
        return try encoder.finish()
    }

    private static func convert(_ source: AudioSource, into encoder: OpusPacketEncoder) throws {
        let decoder = try AudioDecoder(source)
        let channels = decoder.channelCount
        // The filter of a converter grows with the rate, and its output with the inverse of it.
        guard rates.contains(decoder.sampleRate) else {
            throw SpeechAudioError(
                message: "The voice's audio has \(decoder.sampleRate) samples per second. Choose a voice with "
                    + "\(rates.lowerBound) to \(rates.upperBound).")
        }
        var resampler = Resampler(from: decoder.sampleRate, to: EncodedSpeech.sampleRate)
        var block: [Int16] = []
        var total = 0
        while true {
            try Task.checkCancellation()
            let frames = try decoder.nextBlock(into: &block)
            if frames == 0 { break }
            total += frames
            try encoder.append(resampler.convert(mono(block, frames: frames, channels: channels)))
        }
        guard total > 0 else {
            throw SpeechAudioError(message: "The voice's audio is empty. Try again, or choose another voice.")
        }
        try encoder.append(resampler.finish())
    }

    private static func mono(_ block: [Int16], frames: Int, channels: Int) -> [Float] {
        if channels == 1 { return block.map { Float($0) / 32_768 } }
        return (0..<frames).map { frame in
            let sum = block[(frame * channels)..<((frame + 1) * channels)].reduce(Float(0)) { $0 + Float($1) }
            return sum / Float(channels) / 32_768
        }
    }
}
