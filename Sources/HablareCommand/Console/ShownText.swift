import Foundation

/// Text that is safe to write to a terminal.
///
/// A control character in the answer of a program, for example, could clear the screen, change the window's title or
/// hide earlier output. Such a character is shown like `cat -v` shows it: `^[` or `M-^[`. Line ends and tabs are
/// unchanged. Characters that change the direction of writing are shown as `<U+202E>`. Invalid UTF-8 becomes U+FFFD.
struct ShownText: Sendable {
    private var begun = Data()

    mutating func next(_ piece: Data) -> Data {
        var bytes = begun
        bytes += piece
        begun = Data(bytes.suffix(Self.unfinished(bytes)))
        return Data(Self.shown(String(decoding: bytes.dropLast(begun.count), as: UTF8.self)).utf8)
    }

    mutating func end() -> Data {
        defer { begun = Data() }
        return Data(String(decoding: begun, as: UTF8.self).utf8)
    }

    /// - Parameter keepsStyle: Whether to keep the colours of ``Style``.
    static func shown(_ text: String, keepsStyle: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var shown = String.UnicodeScalarView()
        var remainder = text.unicodeScalars[...]
        while let scalar = remainder.first {
            if keepsStyle, let code = Style.codes.first(where: { remainder.starts(with: $0.unicodeScalars) }) {
                shown.append(contentsOf: code.unicodeScalars)
                remainder = remainder.dropFirst(code.unicodeScalars.count)
                continue
            }
            remainder = remainder.dropFirst()
            if isHidden(scalar) {
                shown.append(contentsOf: name(of: scalar).unicodeScalars)
            } else {
                shown.append(scalar)
            }
        }
        return String(shown)
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        isControl(scalar) && scalar != "\n" && scalar != "\t"
    }

    /// Whether a terminal interprets the character instead of showing it, or the character changes the direction of
    /// writing.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || turnsDirection(scalar)
    }

    private static func turnsDirection(_ scalar: Unicode.Scalar) -> Bool {
        0x202A...0x202E ~= scalar.value || 0x2066...0x2069 ~= scalar.value
    }

    private static func name(of scalar: Unicode.Scalar) -> String {
        guard !turnsDirection(scalar) else { return "<U+\(String(scalar.value, radix: 16, uppercase: true))>" }
        let (prefix, byte) = scalar.value < 0x80 ? ("^", UInt8(scalar.value)) : ("M-^", UInt8(scalar.value - 0x80))
        return prefix + String(Unicode.Scalar(byte ^ 0x40))
    }

    /// Returns the number of bytes at the end that are the beginning of an incomplete character.
    private static func unfinished(_ bytes: Data) -> Int {
        for (count, byte) in zip(1..., bytes.suffix(3).reversed()) {
            switch byte {
            case 0x80..<0xC0: continue
            case 0xC2..<0xE0: return count < 2 ? count : 0
            case 0xE0..<0xF0: return count < 3 ? count : 0
            case 0xF0..<0xF5: return count < 4 ? count : 0
            default: return 0
            }
        }
        return 0
    }
}
