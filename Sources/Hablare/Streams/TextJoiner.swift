import Foundation

/// Joins pieces of bytes into valid UTF-8 text. It keeps the first bytes of a character until a later piece completes
/// the character. This type is pure.
struct TextJoiner: Sendable {
    struct NotText: Error {}

    /// The first bytes of an incomplete character, at most three.
    private var remainder = Data()

    var isWithinCharacter: Bool { !remainder.isEmpty }

    /// Adds a piece and returns the text that is complete by now.
    ///
    /// - Throws: ``NotText`` if the bytes so far are not UTF-8.
    mutating func joined(_ piece: Data) throws(NotText) -> Data {
        var bytes = piece
        if !remainder.isEmpty {
            bytes = remainder
            bytes.append(piece)
        }
        let kept = Self.lengthOfBegunCharacter(in: bytes)
        let whole = bytes.dropLast(kept)
        guard Self.isText(whole) else { throw NotText() }
        remainder = Data(bytes.suffix(kept))
        return kept == 0 ? bytes : Data(whole)
    }

    /// Returns the number of bytes at the end that are the beginning of an incomplete character.
    private static func lengthOfBegunCharacter(in bytes: Data) -> Int {
        for (index, byte) in bytes.suffix(3).reversed().enumerated() {
            let length =
                switch byte {
                case 0x80..<0xc0: 0
                case 0xc0..<0xe0: 2
                case 0xe0..<0xf0: 3
                case 0xf0...: 4
                default: 1
                }
            if length > 0 { return index + 1 < length ? index + 1 : 0 }
        }
        return 0
    }

    private static func isText(_ bytes: Data) -> Bool {
        bytes.withUnsafeBytes { buffer in
            // Most text is ASCII, and checking is cheaper than making a string.
            buffer.allSatisfy { $0 < 0x80 } || String(validating: buffer, as: UTF8.self) != nil
        }
    }
}
