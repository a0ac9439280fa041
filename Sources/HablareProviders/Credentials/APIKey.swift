public import Hablare

/// A service's API key. Descriptions show only a part of the key.
///
/// Descriptions, mirrors and interpolations contain only ``shown``, an abbreviation. The full key is ``secret``. Put
/// ``secret`` into ``HTTPCall/secrets`` and nowhere else.
public struct APIKey: Sendable, Hashable {
    /// The key itself.
    public let secret: String

    /// The maximum length of a key in bytes: 4,096.
    public static let longest = 4096

    /// Creates a key from a text, without the white space around the text.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` if the key is empty or too long, or if it
    ///   contains characters other than visible ASCII. A header cannot contain white space in a key, or control
    ///   characters.
    public init(_ text: String) throws(AIServiceError) {
        let key = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard !key.isEmpty else { throw Self.refusal("is empty") }
        guard !key.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" }) else {
            throw Self.refusal("contains a line break")
        }
        guard key.unicodeScalars.allSatisfy({ (0x21...0x7E).contains($0.value) }) else {
            throw Self.refusal("contains white space or characters that a key cannot have")
        }
        guard key.utf8.count <= Self.longest else { throw Self.refusal("has more than \(Self.longest) bytes") }
        secret = key
    }

    /// An abbreviation that distinguishes keys but cannot be used as a key, such as `sk-…c1f2`. If the key has fewer
    /// than 16 characters, the abbreviation is `…`.
    public var shown: String {
        guard secret.count >= 16 else { return "…" }
        return "\(secret.prefix(3))…\(secret.suffix(4))"
    }

    private static func refusal(_ reason: String) -> AIServiceError {
        AIServiceError(.invalidConfiguration, "The key \(reason). Copy it again from the service's key page.")
    }
}

extension APIKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The abbreviated key, ``shown``.
    public var description: String { shown }
    /// The abbreviated key, ``shown``.
    public var debugDescription: String { shown }
    /// A mirror that contains only the abbreviated key, ``shown``.
    public var customMirror: Mirror { Mirror(self, children: [("shown", shown)]) }
}
