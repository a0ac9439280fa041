// The only file that uses the C API of libopus. It relies on these facts:
//
// - An encoder is used by one task at a time: the class is not Sendable.
// - libopus keeps no pointer to samples or packets after a call. Each call passes whole packets of 480 frames.
import COpus
import Foundation

/// Encodes speech into packets of 20 ms: one channel, 24 kHz, 32 kbit/s on average.
///
/// The encoder uses Opus's transform mode, because the speech modes take two to four times as long, and a Bible has 75
/// hours (ADR-084).
final class OpusPacketEncoder {
    /// The average rate in bits per second.
    private static let bitrate: Int32 = 32_000
    /// libopus's effort, from 0 to 10. From 5 on it takes half as long again, for a pitch filter that a clear voice at
    /// this rate hardly needs.
    private static let complexity: Int32 = 4
    /// More than any packet of this rate.
    private static let room = 4_000

    private let encoder: OpaquePointer
    private var samples: [Float] = []
    private var packet = [UInt8](repeating: 0, count: OpusPacketEncoder.room)
    private var speech = EncodedSpeech()

    /// Creates an encoder.
    init() throws(SpeechAudioError) {
        var status: CInt = 0
        guard
            let encoder = opus_encoder_create(
                Int32(EncodedSpeech.sampleRate), 1, CInt(OPUS_APPLICATION_RESTRICTED_LOWDELAY), &status)
        else { throw .encoding(status) }
        self.encoder = encoder
        for status in [
            lectern_opus_set_bitrate(encoder, Self.bitrate), lectern_opus_set_complexity(encoder, Self.complexity),
            // The first packet follows any other verse's packet in a file, so it predicts nothing from it.
            lectern_opus_set_prediction_disabled(encoder, 1),
        ] where status != OPUS_OK { throw .encoding(status) }
    }

    deinit { opus_encoder_destroy(encoder) }

    /// Encodes samples from -1 to 1.
    func append(_ new: [Float]) throws(SpeechAudioError) {
        samples += new
        var start = 0
        while samples.count - start >= EncodedSpeech.packetFrames {
            try encode(samples[start..<(start + EncodedSpeech.packetFrames)])
            start += EncodedSpeech.packetFrames
        }
        samples.removeFirst(start)
    }

    /// Encodes the remaining samples, followed by silence up to the end of a packet, and returns all packets.
    func finish() throws(SpeechAudioError) -> EncodedSpeech {
        let missing = EncodedSpeech.packetFrames - samples.count
        if missing < EncodedSpeech.packetFrames {
            try encode(samples + Array(repeating: 0, count: missing))
            samples = []
        }
        return speech
    }

    private func encode(_ frames: some Collection<Float>) throws(SpeechAudioError) {
        let length = opus_encode_float(
            encoder, Array(frames), CInt(EncodedSpeech.packetFrames), &packet, Int32(Self.room))
        guard length > 0 else { throw .encoding(CInt(length)) }
        if speech.packetLengths.isEmpty {
            let status = lectern_opus_set_prediction_disabled(encoder, 0)
            guard status == OPUS_OK else { throw .encoding(status) }
        }
        speech.append(packet: packet[..<Int(length)])
    }
}
