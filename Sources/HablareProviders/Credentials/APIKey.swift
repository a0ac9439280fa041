public import Hablare

/// A service's key: a secret that says how it may be shown, and never shows itself.
///
/// Descriptions, mirrors and interpolations have ``shown``. The key itself is ``secret``, which belongs in
/// ``HTTPCall/secrets`` and nowhere else.
public struct APIKey: Sendable, Hashable {
    /// The key itself.
    public let secret: String

    /// The longest key: 4,096 bytes.
    public static let longest = 4096

    /// Takes a key as somebody gave it; white space around it is left out.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` where it is empty or too long, has white space, a
    ///   line break or another control character in it (which a header cannot carry), or signs that are not ASCII.
    public init(_ text: String) throws(AIServiceError) {
        let key = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard !key.isEmpty else { throw Self.refusal("is empty") }
        guard !key.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" }) else {
            throw Self.refusal("has a line break in it")
        }
        guard key.unicodeScalars.allSatisfy({ (0x21...0x7E).contains($0.value) }) else {
            throw Self.refusal("has white space or signs in it that no key has")
        }
        guard key.utf8.count <= Self.longest else { throw Self.refusal("has more than \(Self.longest) bytes") }
        secret = key
    }

    /// Enough to tell two keys apart, and too little to use: `sk-…c1f2`. Of a key with fewer than 16 signs only `…`.
    public var shown: String {
        guard secret.count >= 16 else { return "…" }
        return "\(secret.prefix(3))…\(secret.suffix(4))"
    }

    private static func refusal(_ reason: String) -> AIServiceError {
        AIServiceError(.invalidConfiguration, "The key \(reason). Copy it again from the service's page of keys.")
    }
}

extension APIKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// As ``shown``.
    public var description: String { shown }
    /// As ``shown``.
    public var debugDescription: String { shown }
    /// As ``shown``.
    public var customMirror: Mirror { Mirror(self, children: [("shown", shown)]) }
}
