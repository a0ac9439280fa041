public import Foundation

extension UUID {
    /// Returns a new time-ordered UUID (version 7, RFC 9562 §5.7). It has 48 bits of milliseconds since 1970, 12 bits of
    /// the fraction of the millisecond, and 62 random bits.
    ///
    /// With time-ordered keys, a store only appends to its index. With random keys, writing to the index took eight
    /// times as long. If two UUIDs are created at least a quarter of a microsecond apart, they are in the order of
    /// their creation. Otherwise their order is random.
    public static func timeOrdered() -> UUID {
        var generator = SystemRandomNumberGenerator()
        return timeOrdered(at: Date(), using: &generator)
    }

    /// Returns a time-ordered UUID for a given date and source of randomness. For tests and simulations.
    ///
    /// Dates before 1970 count as 1970.
    public static func timeOrdered(at date: Date, using generator: inout some RandomNumberGenerator) -> UUID {
        let sinceEpoch = max(0, min(date.timeIntervalSince1970 * 1000, 281_474_976_710_655))
        let milliseconds = UInt64(sinceEpoch)
        // The fraction takes the place of 12 random bits (RFC 9562 §6.2, method 3).
        let fraction = UInt64((sinceEpoch - sinceEpoch.rounded(.down)) * 4096)
        let random = generator.next()
        let tail = generator.next()
        func time(_ shift: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: milliseconds >> shift) }
        func bits(_ value: UInt64, _ shift: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: value >> shift) }
        return UUID(
            uuid: (
                time(40), time(32), time(24), time(16), time(8), time(0),
                0x70 | bits(fraction, 8), bits(fraction, 0),
                0x80 | (bits(random, 16) & 0x3f), bits(random, 24),
                bits(tail, 0), bits(tail, 8), bits(tail, 16), bits(tail, 24), bits(tail, 32), bits(tail, 40)
            )
        )
    }

    /// The 16 bytes that a store uses as the key of its rows.
    package var bytes: Data {
        withUnsafeBytes(of: uuid) { Data($0) }
    }

    /// Creates a UUID from 16 stored bytes. Returns `nil` if there are not 16 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: bytes) }
        self.init(uuid: value)
    }
}
