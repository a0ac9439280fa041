import Crypto
import Foundation

/// The name of a job, a batch of requests that belong together. If you submit the same batch under the same name again,
/// the submission finds the existing requests.
///
/// Compute the name from the input and from every option that changes the outcome, with ``hashing(_:)``.
public struct JobKey: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
    /// The lengths of a key that `submit` accepts, in bytes of UTF-8.
    static let lengths = 1...256

    /// The text of the key. It must have 1 to 256 bytes of UTF-8. `submit` refuses other keys.
    public let rawValue: String

    /// Creates a key from a text. Different work needs a different text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Returns a key that is computed from the SHA-256 of the parts. The length of each part is also hashed, so
    /// different lists of parts have different keys. The key is the first 32 hexadecimal digits (128 bits) of the
    /// SHA-256.
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
