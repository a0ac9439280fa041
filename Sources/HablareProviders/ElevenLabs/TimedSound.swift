import Foundation
import Hablare
import HablareJSON

/// A piece of sound with the times of its characters, in the service's form.
struct TimedSound: Sendable {
    /// The reason why a piece cannot be used.
    enum Fault: Error, Sendable, Hashable {
        /// The piece does not follow the API. The text describes the problem and never quotes the piece.
        case malformed(String)
        /// The service reports a failure, in the form of a refusal.
        case failed
    }

    /// The sound.
    let bytes: Data
    private let alignment: ParameterValue?

    /// Reads one JSON object. If a name occurs twice, the last value is used. If the piece were refused instead, sound
    /// that is billed would be lost.
    init(json: Data) throws(Fault) {
        guard let value = ParameterValue(lenientJSON: json), case .object = value else {
            throw .malformed("a piece of sound that is not an object")
        }
        if let detail = value[member: "detail"], detail != .null { throw .failed }
        switch value[member: "audio_base64"] {
        case .string(let text):
            guard let bytes = Data(base64Encoded: text) else { throw .malformed("sound that is not base64") }
            self.bytes = bytes
        // The last pieces of a stream may have only times.
        case .null, nil: bytes = Data()
        default: throw .malformed("sound that is not a text")
        }
        // The alignment with the original text, whose characters can be found there. The normalised text has numbers
        // spelled out.
        if let given = value[member: "alignment"], case .object = given {
            alignment = given
        } else {
            alignment = value[member: "normalized_alignment"]
        }
    }

    /// Appends the times of this piece to the times of the sound before it.
    ///
    /// - Parameter elapsed: The length of the sound before this piece, in seconds, if known.
    func add(to times: inout SpeechTimes, elapsed: Double?) {
        guard let alignment else { return }
        func numbers(_ name: String) -> [Double] {
            (alignment[member: name]?.elements ?? []).map { $0.number ?? .nan }
        }
        times.append(
            (alignment[member: "characters"]?.elements ?? []).map { $0.string ?? "" },
            starts: numbers("character_start_times_seconds"), ends: numbers("character_end_times_seconds"),
            elapsed: elapsed)
    }
}
