import Foundation
import Hablare

/// Sizes as a column has them: one after the other, seven bits in a byte, the lowest first, the high bit set in all
/// bytes of a number but its last.
enum PackedSizes {
    static func pack(_ sizes: [Int]) -> Data {
        var data = Data(capacity: sizes.count)
        for size in sizes {
            var rest = UInt(max(0, size))
            while rest > 0x7f {
                data.append(UInt8(rest & 0x7f) | 0x80)
                rest >>= 7
            }
            data.append(UInt8(rest))
        }
        return data
    }

    /// - Throws: ``AIServiceError/Code/storageCorrupt`` unless the sizes fit into so many bytes together.
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
