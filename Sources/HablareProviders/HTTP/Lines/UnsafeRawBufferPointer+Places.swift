import Foundation

extension UnsafeRawBufferPointer {
    /// The place of the first such byte at or behind a place; the number of bytes where there is none.
    @inline(__always)
    func place(of byte: UInt8, from start: Int) -> Int {
        guard let baseAddress, start < count,
            let found = memchr(baseAddress + start, Int32(byte), count - start)
        else { return count }
        return UnsafeRawPointer(found) - baseAddress
    }

    /// Whether the bytes are the same as others, of which there are as many.
    @inline(__always)
    func isEqual(to others: UnsafeRawBufferPointer) -> Bool {
        guard let baseAddress, let start = others.baseAddress else { return count == others.count }
        return memcmp(baseAddress, start, count) == 0
    }

    /// Some of the bytes, counted from 0 again.
    @inline(__always)
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }
}
