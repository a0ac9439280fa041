import Crypto
import Foundation

/// The name of a batch of requests that belong together. If you submit the batch again under the same name, the
/// submission finds the existing requests.
///
/// Compute the name from the input and from every option that changes the outcome, with ``hashing(_:)``.
public struct JobKey: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
    /// The lengths in bytes of UTF-8 that `submit` accepts.
    static let lengths = 1...256

    /// The text of the key. It must have 1 to 256 bytes of UTF-8. `submit` refuses other keys.
    public let rawValue: String

    /// Creates a key from a text. The caller guarantees that the text identifies the work.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Returns a key from the SHA-256 of the parts. Each part is preceded by its length, so different lists of parts
    /// have different keys. The key is the first 32 of the 64 hexadecimal digits (128 bits).
    public static func hashing(_ parts: [some Sequence<UInt8>]) -> JobKey {
        var hash = SHA256()
        for part in parts {
            let bytes = Array(part)
            withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: bytes)
        }
        return JobKey(rawValue: Data(hash.finalize().prefix(16)).hexadecimal)
    }

    /// The text of the key.
    public var description: String { rawValue }
}
