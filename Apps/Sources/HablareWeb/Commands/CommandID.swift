public import Foundation

/// The id of a command: a UUID of version 7, which the page makes. The same id is the same act.
public struct CommandID: Sendable, Hashable, CustomStringConvertible {
    /// The id as a UUID.
    public let uuid: UUID

    /// Creates an id. Returns `nil` if the UUID has another version or variant.
    public init?(_ uuid: UUID) {
        guard uuid.uuid.6 >> 4 == 7, uuid.uuid.8 >> 6 == 0b10 else { return nil }
        self.uuid = uuid
    }

    /// Creates an id from its text. Returns `nil` if the text is not a UUID of version 7.
    public init?(_ text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.init(uuid)
    }

    /// Creates an id for a date. Forms of pages without scripts get one from the server.
    ///
    /// - Parameters:
    ///   - date: The date, to the millisecond.
    ///   - generator: The source of randomness.
    public init(date: Date, using generator: inout some RandomNumberGenerator) {
        let milliseconds = UInt64(max(0, date.timeIntervalSince1970 * 1000))
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * $0)) }
        bytes += (0..<10).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes[6] = 0x70 | bytes[6] & 0x0F
        bytes[8] = 0x80 | bytes[8] & 0x3F
        uuid = UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }

    /// The id in lower case.
    public var description: String { uuid.uuidString.lowercased() }
}
