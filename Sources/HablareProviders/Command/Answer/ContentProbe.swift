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
        let first = MagicBytes(bytes)
        switch content {
        case .data, .text:
            return nil
        case .audio(.wav):
            return first.audioContainer == .wav ? nil : "it is not a WAV file"
        case .audio(let format):
            let isKnown: Bool? =
                switch format.rawValue {
                case "mp3": first.audioContainer == .mp3 || first.audioFrame == .mp3
                case "flac": first.audioContainer == .flac
                case "ogg", "opus", "vorbis": ["ogg", "opus"].contains(first.audioContainer?.rawValue)
                default: nil
                }
            return isKnown ?? true ? nil : "it is not a file of format \(format.rawValue)"
        case .image(let format):
            let isMeant = first.image == format || ![.png, .jpeg, .webp].contains(format)
            return isMeant ? nil : "it is not a file of format \(format.rawValue)"
        }
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    /// Whether a WAV file has a byte behind the header of its data chunk. A claimed length of 0 counts as unknown,
    /// unless another chunk follows it and ends with the file.
    private static func hasSound(_ bytes: [UInt8]) -> Bool {
        var position = 12
        while position + 8 <= bytes.count {
            let length = Self.length(bytes, at: position)
            if bytes.dropFirst(position).starts(with: "data".utf8) {
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
