/// The text chunks of a PNG: the thumbnail specification keeps the photo's URI and time in them.
enum PNGText {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// Signature and header chunk.
    private static let headSize = 33

    /// Returns the PNG with these texts behind its header, or nil where it does not begin like a PNG. Keys and texts are
    /// ASCII.
    static func adding(_ texts: [(key: String, text: String)], to png: [UInt8]) -> [UInt8]? {
        guard png.count > headSize, png.starts(with: signature), Array(png[12..<16]) == Array("IHDR".utf8) else {
            return nil
        }
        var result = Array(png[..<headSize])
        for (key, text) in texts { result += chunk("tEXt", Array(key.utf8) + [0] + Array(text.utf8)) }
        return result + png[headSize...]
    }

    /// Returns the texts that stand before the pixels. Reads at most 64 chunks, and none beyond 64 KiB. Nil where the bytes
    /// do not begin like a PNG.
    static func read(_ bytes: some RandomAccessBytes) -> [String: String]? {
        guard bytes.read(0, 8) == signature else { return nil }
        var texts: [String: String] = [:]
        var offset = 8
        for _ in 0..<64 {
            guard let head = bytes.read(offset, 8) else { return texts }
            let count = head.bigEndian32(0)
            let kind = Array(head[4..<8])
            if kind == Array("IDAT".utf8) || kind == Array("IEND".utf8) { return texts }
            if kind == Array("tEXt".utf8), count <= 64 << 10, let body = bytes.read(offset + 8, count),
                let end = body.firstIndex(of: 0)
            {
                let key = String(decoding: body[..<end], as: UTF8.self)
                if texts[key] == nil { texts[key] = String(decoding: body[(end + 1)...], as: UTF8.self) }
            }
            offset += 12 + count
        }
        return texts
    }

    /// A PNG of one grey pixel, which marks a photo that cannot be decoded.
    static let onePixel: [UInt8] =
        signature + chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
        // A stored block of two bytes, filter and pixel, and their Adler-32.
        + chunk("IDAT", [0x78, 0x01, 0x01, 0x02, 0x00, 0xFD, 0xFF, 0, 0, 0, 2, 0, 1]) + chunk("IEND", [])

    private static func chunk(_ kind: String, _ body: [UInt8]) -> [UInt8] {
        let content = Array(kind.utf8) + body
        return bigEndian(UInt32(body.count)) + content + bigEndian(crc(content))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    /// The CRC-32 of PNG and zlib, bit by bit: the texts are short.
    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
