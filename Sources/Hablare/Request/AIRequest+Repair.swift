import Crypto
public import Foundation

extension AIRequest {
    /// The key in a repair's ``metadata`` for the UUID of the request whose answer it repairs.
    public static let repairsKey = "repairs"

    package static let mostRepairs = 5

    /// Returns the UUID of a request that repairs the answer of another request.
    ///
    /// The UUID is computed only from the other request's UUID and the number. If a caller repeats the repair after a
    /// crash, it therefore finds the existing request and does not pay again. The UUID begins with the same timestamp
    /// as the other request's UUID, and has version 8.
    ///
    /// - Parameters:
    ///   - id: The UUID of the first request.
    ///   - number: The number of the repair. `StructuredRequestor` makes repairs 1 to 5. Other numbers also have a
    ///     UUID.
    public static func repairID(of id: UUID, number: Int) -> UUID {
        var hash = SHA256()
        hash.update(data: Data("hablare.repair".utf8))
        hash.update(data: id.bytes)
        withUnsafeBytes(of: Int64(number).littleEndian) { hash.update(bufferPointer: $0) }
        var bytes = Array(hash.finalize().prefix(16))
        bytes.replaceSubrange(..<6, with: id.bytes.prefix(6))
        bytes[6] = 0x80 | bytes[6] & 0x0F
        bytes[8] = 0x80 | bytes[8] & 0x3F
        return UUID(bytes: bytes) ?? id  // unreachable: there are 16 bytes
    }
}
