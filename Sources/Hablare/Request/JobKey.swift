import Crypto
import Foundation

/// Names a batch of requests that belong together, so that submitting the same work again finds it.
///
/// Make it from the input and every option that changes the outcome: ``hashing(_:)``.
public struct JobKey: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
    /// How many bytes of UTF-8 a key has that `submit` accepts.
    static let lengths = 1...256

    /// The key's text. Anything, between 1 and 256 bytes of UTF-8 to be accepted by `submit`.
    public let rawValue: String

    /// Creates a key from text that the caller guarantees to name the work.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A key that is the SHA-256 of the parts, each framed by its length, so no two lists of parts share a key.
    /// Written as the first 32 of its 64 hexadecimal digits: 128 bits.
    public static func hashing(_ parts: [some Sequence<UInt8>]) -> JobKey {
        var hash = SHA256()
        for part in parts {
            let bytes = Array(part)
            withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: bytes)
        }
        return JobKey(rawValue: Data(hash.finalize().prefix(16)).hexadecimal)
    }

    /// The key's text.
    public var description: String { rawValue }
}
