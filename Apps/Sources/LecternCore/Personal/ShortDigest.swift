/// A digest that tells different commands with the same id apart. It protects against mistakes, not against attacks.
enum ShortDigest {
    /// Returns the number of bytes, and their FNV-1a hash of 64 bits.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        var (hash, count): (UInt64, Int) = (0xCBF2_9CE4_8422_2325, 0)
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01B3
            count += 1
        }
        return "\(count)-" + String(hash, radix: 16)
    }
}
