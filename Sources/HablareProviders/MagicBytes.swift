package import Hablare

/// The first bytes of content. They show the content's format, whatever its name and its declared type are.
package struct MagicBytes: Sendable {
    /// The number of bytes that are enough to recognize every format. Ogg needs the most bytes: the header of a page
    /// and the start of its content.
    package static let count = 36

    private let bytes: [UInt8]

    /// Creates a value from the first bytes of content.
    package init(_ content: some Sequence<UInt8>) {
        bytes = Array(content.prefix(Self.count))
    }

    /// Returns whether the bytes at an offset are the ASCII characters of a word.
    package func has(_ word: String, at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: word.utf8) }

    /// The format of a picture: PNG, JPEG, WebP or GIF. `nil` for any other content.
    package var image: ImageFormat? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if has("RIFF"), has("WEBP", at: 8) { return .webp }
        return has("GIF87a") || has("GIF89a") ? ImageFormat(rawValue: "gif") : nil
    }

    /// The format of sound, from its container: WAVE, FLAC, Ogg, or MPEG layer 3 after tags (`mp3`). Ogg is `opus` if
    /// it contains Opus, otherwise `ogg`. `nil` for any other content.
    package var audioContainer: AudioFormat? {
        if has("RIFF"), has("WAVE", at: 8) { return .wav }
        if has("fLaC") { return .flac }
        if has("OggS") { return AudioFormat(rawValue: has("OpusHead", at: 28) ? "opus" : "ogg") }
        return has("ID3") ? .mp3 : nil
    }

    /// The format of sound that begins with an MPEG frame; `nil` for any other content. A frame begins with eleven set
    /// bits. In `mp3`, these bits are followed by layer 3, a valid bit rate and a valid sample rate. In `aac`, they are
    /// followed by a twelfth set bit and no layer.
    package var audioFrame: AudioFormat? {
        guard bytes.count >= 4, bytes[0] == 0xFF else { return nil }
        if bytes[1] & 0xF6 == 0xF0 { return AudioFormat(rawValue: "aac") }
        let isLayer3 = bytes[1] & 0xE6 == 0xE2 && bytes[2] & 0xF0 != 0xF0 && bytes[2] & 0x0C != 0x0C
        return isLayer3 ? .mp3 : nil
    }

    /// The first four bytes in hexadecimal, for an error message.
    package var shown: String {
        bytes.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
    }

    /// Whether all of the first sixteen bytes are printable ASCII characters or white space.
    package var isText: Bool { bytes.prefix(16).allSatisfy { 0x20..<0x7F ~= $0 || 0x09...0x0D ~= $0 } }
}
