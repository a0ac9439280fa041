import Crypto
public import Foundation

extension AIRequest {
    /// The ``metadata`` key of a repair. Its value is the UUID of the request whose answer the repair corrects.
    public static let repairsKey = "repairs"

    package static let mostRepairs = 5

    /// Returns the UUID of a repair: a request that corrects the answer of another request.
    ///
    /// The UUID depends only on the other request's UUID and on the repair's number. If a caller repeats the repair
    /// after a crash, it therefore finds the existing repair, and you do not pay again. The UUID has version 8, and
    /// begins with the same timestamp as the other request's UUID.
    ///
    /// - Parameters:
    ///   - id: The UUID of the request whose answer is corrected.
    ///   - number: The number of the repair. `StructuredRequestor` makes at most five repairs, with the numbers 1 to 5.
    ///     Any other number is also possible.
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
