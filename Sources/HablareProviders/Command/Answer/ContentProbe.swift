#if os(macOS) || os(Linux)
import Hablare

/// A check whether an answer's first bytes match the promised content. The check ignores the lengths in a header. The
/// reason: a program that writes to a pipe writes the header before it knows the lengths.
enum ContentProbe {
    /// The problem of a text that is not UTF-8.
    static let notUTF8 = "it is not UTF-8"

    /// Returns the problem of an answer. Returns `nil` if the answer has none.
    static func problem(of bytes: [UInt8], as content: CommandContent) -> String? {
        guard !bytes.isEmpty else { return "it is empty" }
        if content == .text { return isUTF8(bytes) ? nil : notUTF8 }
        if let problem = problem(ofBeginning: bytes, as: content) { return problem }
        return content == .audio(.wav) && !hasSound(bytes) ? "it is a WAV file without sound" : nil
    }

    /// Returns the problem of an answer's first bytes. Returns `nil` if they have none. Pass at least twelve bytes if
    /// the answer has that many. A text has no signature, so its first bytes are not checked.
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

    /// Returns whether a WAV file has at least one byte after the header of its data chunk.
    ///
    /// A length of 0 in the header usually means that the length is unknown. If another chunk follows and ends at the
    /// end of the file, the length really is 0.
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

    /// Returns the length of the chunk at a position. A length has 32 bits, so sums of lengths do not overflow 64 bits.
    private static func length(_ bytes: [UInt8], at position: Int) -> Int {
        (4..<8).reversed().reduce(0) { $0 << 8 | Int(bytes[position + $1]) }
    }
}
#endif
