#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension [UInt8] {
    /// Returns the index of the first byte with a value, from an index on; `nil` if there is none.
    ///
    /// It is fast in builds for debugging, too: tests import whole Bibles.
    func index(of byte: UInt8, from start: Int) -> Int? {
        withUnsafeBufferPointer { bytes in
            guard start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(byte), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - UnsafeRawPointer(base)
        }
    }
}
