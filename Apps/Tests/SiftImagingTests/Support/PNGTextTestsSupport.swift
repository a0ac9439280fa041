/// The checksum of a PNG chunk, computed by another rule than the code under test: with a table.
enum PNGTextTestsSupport {
    static func crc(_ bytes: [UInt8]) -> [UInt8] {
        let table = (0..<256 as Range<UInt32>).map { index in
            (0..<8).reduce(index) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
        }
        let sum = ~bytes.reduce(0xFFFF_FFFF as UInt32) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
        return [UInt8(sum >> 24), UInt8(sum >> 16 & 255), UInt8(sum >> 8 & 255), UInt8(sum & 255)]
    }
}
