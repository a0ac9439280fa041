/// The results of one decode of a photo for the search for photos that are alike or blurred.
public struct PhotoFeatures: Sendable, Hashable, Codable {
    /// The difference hash of 8 × 8 bits, as `imagehash.dhash(image, 8)` computes it.
    public var hash64: PhotoHash64
    /// The difference hash of 16 × 16 bits, as `imagehash.dhash(image, 16)` computes it.
    public var hash256: PhotoHash256
    /// The variance of the Laplacian over the grey picture of at most 512 pixels. Larger is sharper. Only comparable
    /// between photos of the same scene.
    public var sharpness: Double
    /// Whether the file is damaged. The values then describe what is left of the photo, and are compared with no other
    /// photo's.
    public var isDamaged: Bool

    /// Creates the features.
    public init(hash64: PhotoHash64, hash256: PhotoHash256, sharpness: Double, isDamaged: Bool = false) {
        self.hash64 = hash64
        self.hash256 = hash256
        self.sharpness = sharpness
        self.isDamaged = isDamaged
    }
}

/// A perceptual hash of 64 bits. The first bit in reading order (top left) is the highest bit.
public struct PhotoHash64: Sendable, Hashable, Codable {
    /// The bits.
    public var bits: UInt64

    /// Creates a hash from its bits.
    public init(bits: UInt64) { self.bits = bits }

    /// Returns the number of bits in which two hashes differ, 0 to 64.
    public func distance(to other: Self) -> Int { (bits ^ other.bits).nonzeroBitCount }
}

/// A perceptual hash of 256 bits. The first bit in reading order (top left) is the highest bit of the first word.
public struct PhotoHash256: Sendable, Hashable, Codable {
    /// The bits 0–63, 64–127, 128–191 and 192–255 in reading order.
    public var words: (UInt64, UInt64, UInt64, UInt64)

    /// Creates a hash from its four words.
    public init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// Returns the number of bits in which two hashes differ, 0 to 256.
    public func distance(to other: Self) -> Int {
        (words.0 ^ other.words.0).nonzeroBitCount + (words.1 ^ other.words.1).nonzeroBitCount
            + (words.2 ^ other.words.2).nonzeroBitCount + (words.3 ^ other.words.3).nonzeroBitCount
    }

    /// Returns whether all bits are equal.
    public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// Hashes all bits.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }

    /// Reads the 64 hexadecimal digits of ``PhotoHash256/description``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let hash = Self(hexadecimal: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "Not 64 hexadecimal digits.")
        }
        self = hash
    }

    /// Writes 64 hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension PhotoHash64: CustomStringConvertible {
    /// The 16 hexadecimal digits that ImageHash prints.
    public var description: String { hexadecimal(bits) }

    /// Reads 16 hexadecimal digits, as ImageHash prints them. Returns nil for anything else.
    public init?(hexadecimal text: String) {
        guard text.utf8.count == 16, text.allSatisfy(\.isHexDigit), let bits = UInt64(text, radix: 16) else {
            return nil
        }
        self.bits = bits
    }
}

extension PhotoHash256: CustomStringConvertible {
    /// The 64 hexadecimal digits that ImageHash prints.
    public var description: String {
        hexadecimal(words.0) + hexadecimal(words.1) + hexadecimal(words.2) + hexadecimal(words.3)
    }

    /// Reads 64 hexadecimal digits, as ImageHash prints them. Returns nil for anything else.
    public init?(hexadecimal text: String) {
        guard text.utf8.count == 64, text.allSatisfy(\.isHexDigit) else { return nil }
        let digits = Array(text)
        let words = stride(from: 0, to: 64, by: 16).compactMap { UInt64(String(digits[$0..<$0 + 16]), radix: 16) }
        guard words.count == 4 else { return nil }
        self.words = (words[0], words[1], words[2], words[3])
    }
}

/// Returns a word as 16 hexadecimal digits.
private func hexadecimal(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
