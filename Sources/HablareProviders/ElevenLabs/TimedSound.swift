import Foundation
import Hablare
import HablareJSON

/// A piece of sound with the times of its characters, as the service gives it.
struct TimedSound: Sendable {
    /// Why there is none.
    enum Fault: Error, Sendable, Hashable {
        /// It is not of the API; in a few words, never with any of its own.
        case malformed(String)
        /// The service says that it failed, in the form of its refusals.
        case failed
    }

    /// The sound.
    let bytes: Data
    private let alignment: ParameterValue?

    /// Reads one JSON object. Of a name that it has twice the last value counts: sound that is paid for is not thrown away
    /// for it.
    init(json: Data) throws(Fault) {
        guard let value = ParameterValue(lenientJSON: json), case .object = value else {
            throw .malformed("a piece of sound that is no object")
        }
        if let detail = value[member: "detail"], detail != .null { throw .failed }
        switch value[member: "audio_base64"] {
        case .string(let text):
            guard let bytes = Data(base64Encoded: text) else { throw .malformed("sound that is no base 64") }
            self.bytes = bytes
        // The last pieces of a stream may have times only.
        case .null, nil: bytes = Data()
        default: throw .malformed("sound that is no text")
        }
        // Of the text as it was given, so that it can be found there; the normalised one has numbers written out.
        if let given = value[member: "alignment"], case .object = given {
            alignment = given
        } else {
            alignment = value[member: "normalized_alignment"]
        }
    }

    /// Adds its times to those of the sound before it.
    ///
    /// - Parameter heard: How many seconds of sound there were before, where that is known.
    func add(to times: inout SpeechTimes, heard: Double?) {
        guard let alignment else { return }
        func numbers(_ name: String) -> [Double] {
            (alignment[member: name]?.elements ?? []).map { $0.number ?? .nan }
        }
        times.append(
            (alignment[member: "characters"]?.elements ?? []).map { $0.string ?? "" },
            starts: numbers("character_start_times_seconds"), ends: numbers("character_end_times_seconds"),
            heard: heard)
    }
}
