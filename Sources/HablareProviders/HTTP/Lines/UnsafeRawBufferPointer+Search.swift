import Foundation

extension UnsafeRawBufferPointer {
    /// Returns the index of the first occurrence of a byte at or after an index. Returns the number of bytes if there
    /// is none.
    @inline(__always)
    func offset(of byte: UInt8, from start: Int) -> Int {
        guard let baseAddress, start < count,
            let found = memchr(baseAddress + start, Int32(byte), count - start)
        else { return count }
        return UnsafeRawPointer(found) - baseAddress
    }

    /// Returns whether the bytes equal another buffer of the same size.
    @inline(__always)
    func isEqual(to others: UnsafeRawBufferPointer) -> Bool {
        guard let baseAddress, let start = others.baseAddress else { return count == others.count }
        return memcmp(baseAddress, start, count) == 0
    }

    /// Returns a part of the buffer, with indices that start at 0.
    @inline(__always)
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }
}
