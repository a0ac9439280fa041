import Foundation
import Hablare

extension AudioFormat {
    /// So many first bytes of sound say what it is, where anything says it: the head of an Ogg page, and what is in it.
    static let beginningBytes = 36

    /// The format of sound that was asked for in one, by its first bytes: a server that does not know the format, or the
    /// parameter, sends what it has.
    ///
    /// WAVE, FLAC, Ogg (`opus` where Opus is in it, else `ogg`), MPEG layer 3 (`mp3`) and AAC in ADTS frames are known. What
    /// begins with nothing of these counts as what was asked for. Bare samples (`pcm`) may begin with anything, also with
    /// the few bits of a frame of MPEG: where they were asked for these say nothing.
    init(of beginning: Data, askedFor asked: AudioFormat) {
        let bytes = [UInt8](beginning.prefix(Self.beginningBytes))
        func has(_ word: String, at place: Int = 0) -> Bool { bytes.dropFirst(place).starts(with: word.utf8) }
        if has("RIFF"), has("WAVE", at: 8) {
            self = .wav
        } else if has("fLaC") {
            self = .flac
        } else if has("OggS") {
            self = Self(rawValue: has("OpusHead", at: 28) ? "opus" : "ogg")
        } else if has("ID3") {
            self = .mp3
        } else {
            self = (asked.rawValue == "pcm" ? nil : Self(ofFrame: bytes)) ?? asked
        }
    }

    /// What a frame of MPEG is: after eleven set bits, for `mp3` layer 3 with a bit rate and a rate of samples that exist,
    /// for `aac` a twelfth one and no layer.
    private init?(ofFrame bytes: [UInt8]) {
        guard bytes.count >= 4, bytes[0] == 0xFF else { return nil }
        if bytes[1] & 0xF6 == 0xF0 {
            self = Self(rawValue: "aac")
        } else if bytes[1] & 0xE6 == 0xE2, bytes[2] & 0xF0 != 0xF0, bytes[2] & 0x0C != 0x0C {
            self = .mp3
        } else {
            return nil
        }
    }
}
