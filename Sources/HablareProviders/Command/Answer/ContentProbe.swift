#if os(macOS) || os(Linux)
import Hablare

/// Tells from the first bytes whether content is what it was promised to be. Trusts no length that a header claims:
/// programs that write to a pipe cannot know it.
enum ContentProbe {
    /// What is wrong with text in another encoding.
    static let notUTF8 = "it is not UTF-8"

    /// What is wrong with an answer; `nil` when nothing is.
    static func problem(of bytes: [UInt8], as content: CommandContent) -> String? {
        guard !bytes.isEmpty else { return "it is empty" }
        if content == .text { return isUTF8(bytes) ? nil : notUTF8 }
        if let problem = problem(ofBeginning: bytes, as: content) { return problem }
        return content == .audio(.wav) && !hasSound(bytes) ? "it is a WAV file without sound" : nil
    }

    /// What is wrong with the first bytes of an answer, at least twelve where it has so many; `nil` when nothing is.
    /// Nothing is said of text: it has no signature.
    static func problem(ofBeginning bytes: [UInt8], as content: CommandContent) -> String? {
        switch content {
        case .data, .text:
            return nil
        case .audio(.wav):
            return begins(bytes, "RIFF") && begins(bytes, "WAVE", at: 8) ? nil : "it is not a WAV file"
        case .audio(let format):
            let isKnown: Bool? =
                switch format.rawValue {
                case "mp3": begins(bytes, "ID3") || isMPEGFrame(bytes)
                case "flac": begins(bytes, "fLaC")
                case "ogg", "opus", "vorbis": begins(bytes, "OggS")
                default: nil
                }
            return isKnown ?? true ? nil : "it is not a file of format \(format.rawValue)"
        case .image(let format):
            let isKnown: Bool? =
                switch format.rawValue {
                case "png": bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
                case "jpeg": bytes.starts(with: [0xFF, 0xD8, 0xFF])
                case "webp": begins(bytes, "RIFF") && begins(bytes, "WEBP", at: 8)
                default: nil
                }
            return isKnown ?? true ? nil : "it is not a file of format \(format.rawValue)"
        }
    }

    private static func begins(_ bytes: [UInt8], _ magic: String, at offset: Int = 0) -> Bool {
        bytes.dropFirst(offset).starts(with: magic.utf8)
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    /// An MPEG audio frame: eleven set bits, layer III, and a bit rate and sample rate that exist.
    private static func isMPEGFrame(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 4 else { return false }
        return bytes[0] == 0xFF && bytes[1] & 0xE6 == 0xE2 && bytes[2] & 0xF0 != 0xF0 && bytes[2] & 0x0C != 0x0C
    }

    /// Whether a WAV file has a byte behind the header of its data chunk. A claimed length of 0 counts as unknown,
    /// unless another chunk follows it and ends with the file.
    private static func hasSound(_ bytes: [UInt8]) -> Bool {
        var position = 12
        while position + 8 <= bytes.count {
            let length = Self.length(bytes, at: position)
            if begins(bytes, "data", at: position) {
                let first = position + 8
                guard length == 0, first + 8 <= bytes.count else { return first < bytes.count }
                return first + 8 + Self.length(bytes, at: first) != bytes.count
            }
            position += 8 + length + length % 2
        }
        return false
    }

    /// The length of the chunk at a position: 32 bits, so that no sum here overflows 64.
    private static func length(_ bytes: [UInt8], at position: Int) -> Int {
        (4..<8).reversed().reduce(0) { $0 << 8 | Int(bytes[position + $1]) }
    }
}
#endif
