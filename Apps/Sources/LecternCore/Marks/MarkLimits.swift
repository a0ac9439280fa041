import Foundation

/// The limits of what a person can write, and the cleaning of names.
public enum MarkLimits {
    /// The largest note: 1 MiB of UTF-8, about 170,000 English words.
    public static let noteBytes = 1 << 20
    /// The longest label of a mark: 500 characters as a person counts them, and 4 KiB.
    public static let label = Length(characters: 500, bytes: 4096)
    /// The longest tag: 50 characters, and 400 bytes.
    public static let tag = Length(characters: 50, bytes: 400)
    /// The longest name of a folder or a plan: 100 characters, and 1 KiB.
    public static let name = Length(characters: 100, bytes: 1024)

    /// A limit in characters as a person counts them, and in bytes of UTF-8, because one character can have many.
    public struct Length: Hashable, Sendable {
        /// The number of grapheme clusters.
        public let characters: Int
        /// The number of bytes of UTF-8.
        public let bytes: Int
    }

    /// Returns a note as it is stored. Like CommonMark, it replaces U+0000. All else stays, also controls of direction.
    static func note(_ text: String) throws(PersonalDataError) -> String {
        guard text.utf8.count <= noteBytes else {
            throw PersonalDataError(
                .tooLarge,
                "The note has \(text.utf8.count) bytes; a note can have \(noteBytes). Divide it into several notes.")
        }
        return withoutNull(text)
    }

    /// Returns a label as it is stored.
    static func label(_ text: String) throws(PersonalDataError) -> String {
        try check(text, label, "note on a mark")
        return withoutNull(text)
    }

    /// Returns the name of a tag, a folder or a plan as it is stored: in Unicode's form C, with single spaces, and
    /// without controls, which could make a list unreadable.
    static func name(_ text: String, _ limit: Length, _ kind: String) throws(PersonalDataError) -> String {
        try check(text, limit, kind)
        let clean = String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
        let name = clean.precomposedStringWithCanonicalMapping.split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        guard !name.isEmpty else { throw PersonalDataError(.invalid, "A \(kind) needs a name. Enter one.") }
        return name
    }

    private static func check(_ text: String, _ limit: Length, _ kind: String) throws(PersonalDataError) {
        guard text.utf8.count <= limit.bytes, text.count <= limit.characters else {
            throw PersonalDataError(
                .tooLarge, "The \(kind) is too long. Use at most \(limit.characters) characters.")
        }
    }

    /// SQLite ends a text at U+0000.
    private static func withoutNull(_ text: String) -> String {
        guard text.utf8.contains(0) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029, 0xFEFF: true
        default: false
        }
    }
}
