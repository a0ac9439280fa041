import Foundation
import Hablare

extension AudioFormat {
    /// Why bytes that are said to be sound of this format cannot be, by how they begin: a sentence; `nil` where they may
    /// be, or nothing is known of the format. MPEG may begin in the middle of a frame, but with no text. Pure.
    func problem(ofBeginning bytes: Data) -> String? {
        let first = [UInt8](bytes.prefix(16))
        func has(_ word: String, at place: Int = 0) -> Bool { first.dropFirst(place).starts(with: word.utf8) }
        let mayBe =
            switch rawValue {
            case "wav": ["RIFF", "RF64", "BW64"].contains { has($0) } && has("WAVE", at: 8)
            case "flac": has("fLaC") || has("ID3")
            case "ogg", "opus", "vorbis": has("OggS")
            case "mp3": has("ID3") || !first.allSatisfy { 0x20..<0x7F ~= $0 || 0x09...0x0D ~= $0 }
            default: true
            }
        guard !mayBe else { return nil }
        // Too few to say anything of what was asked.
        let bytes = first.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        return "It is not \(rawValue) audio: its first bytes are \(bytes.joined(separator: " "))."
    }
}
