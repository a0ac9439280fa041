import Crypto
public import Foundation

extension AIRequest {
    /// Under this name a repair's ``metadata`` says the UUID of the request whose answer it mends.
    public static let repairsKey = "repairs"

    package static let mostRepairs = 5

    /// The UUID of a request that mends the answer of another one, the first time, the second …
    ///
    /// It is computed from that UUID alone, so a caller that asks again after a crash finds the repair that was made, and
    /// pays for no other. It begins with the same time, and is of version 8.
    ///
    /// - Parameters:
    ///   - id: The UUID of the first request.
    ///   - number: Which repair: 1 to 5 are those that `StructuredRequestor` makes. Any other number has a UUID, too.
    public static func repairID(of id: UUID, number: Int) -> UUID {
        var hash = SHA256()
        hash.update(data: Data("hablare.repair".utf8))
        hash.update(data: id.bytes)
        withUnsafeBytes(of: Int64(number).littleEndian) { hash.update(bufferPointer: $0) }
        var bytes = Array(hash.finalize().prefix(16))
        bytes.replaceSubrange(..<6, with: id.bytes.prefix(6))
        bytes[6] = 0x80 | bytes[6] & 0x0F
        bytes[8] = 0x80 | bytes[8] & 0x3F
        return UUID(bytes: bytes) ?? id  // unreachable: they are 16
    }
}
