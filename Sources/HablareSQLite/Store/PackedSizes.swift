import Foundation
import Hablare

/// A list of sizes as it is stored in a column: LEB128 numbers, one after the other. Each byte contains seven bits of a
/// number, the lowest bits first. The highest bit is set in all bytes of a number except the last byte.
enum PackedSizes {
    static func pack(_ sizes: [Int]) -> Data {
        var data = Data(capacity: sizes.count)
        for size in sizes {
            var remainder = UInt(max(0, size))
            while remainder > 0x7f {
                data.append(UInt8(remainder & 0x7f) | 0x80)
                remainder >>= 7
            }
            data.append(UInt8(remainder))
        }
        return data
    }

    /// Returns the sizes that a column contains.
    ///
    /// - Throws: ``AIServiceError/Code/storageCorrupt`` if the data is damaged, or the sizes do not add up to `total`.
    static func sizes(of data: Data, total: Int) throws -> [Int] {
        var sizes: [Int] = []
        var size = 0
        var shift = 0
        var left = total
        for byte in data {
            guard shift < 42 else { throw damaged }
            size |= Int(byte & 0x7f) << shift
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            guard size <= left else { throw damaged }
            left -= size
            sizes.append(size)
            (size, shift) = (0, 0)
        }
        guard left == 0, shift == 0 else { throw damaged }
        return sizes
    }

    private static let damaged = AIServiceError(
        .storageCorrupt, "The chunks of a stream cannot be read. Run `hablare doctor`.")
}
