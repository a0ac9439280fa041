import Foundation
import Hablare

extension AudioFormat {
    /// Why bytes that are said to be sound of this format cannot be, by how they begin: a sentence; `nil` where they may
    /// be, or nothing is known of the format. MPEG may begin in the middle of a frame, but with no text. Pure.
    func problem(ofBeginning bytes: Data) -> String? {
        let first = MagicBytes(bytes)
        let mayBe =
            switch rawValue {
            case "wav": ["RIFF", "RF64", "BW64"].contains { first.has($0) } && first.has("WAVE", at: 8)
            case "flac": first.has("fLaC") || first.has("ID3")
            case "ogg", "opus", "vorbis": first.has("OggS")
            case "mp3": first.has("ID3") || !first.isText
            default: true
            }
        // Too few to say anything of what was asked.
        return mayBe ? nil : "It is not \(rawValue) audio: its first bytes are \(first.shown)."
    }
}
