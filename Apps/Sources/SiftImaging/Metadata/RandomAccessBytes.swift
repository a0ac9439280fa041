import Foundation

/// Bytes that are read at any place. Every read is bounded, because the offsets come from a hostile file.
protocol RandomAccessBytes {
    /// The number of bytes.
    var count: Int { get }
    /// Returns exactly `count` bytes from `offset` on, or nil where there are fewer or the read fails.
    func read(_ offset: Int, _ count: Int) -> [UInt8]?
}

extension RandomAccessBytes {
    /// Returns whether a range lies within the bytes.
    func contains(_ offset: Int, _ length: Int) -> Bool {
        offset >= 0 && length >= 0 && offset <= count && length <= count - offset
    }
}

/// Bytes in memory.
struct MemoryBytes: RandomAccessBytes {
    let bytes: [UInt8]

    var count: Int { bytes.count }

    func read(_ offset: Int, _ count: Int) -> [UInt8]? {
        contains(offset, count) ? Array(bytes[offset..<offset + count]) : nil
    }
}

/// A file behind a descriptor, read with `pread` in windows of 64 KiB, so that small neighbouring reads cost one call.
final class DescriptorBytes: RandomAccessBytes {
    private static let windowSize = 64 << 10

    let count: Int
    private let descriptor: Int32
    private var windowStart = 0
    private var window: [UInt8] = []

    /// Borrows the descriptor. Returns nil unless it is a regular file.
    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.descriptor = descriptor
        count = Int(status.st_size)
    }

    func read(_ offset: Int, _ length: Int) -> [UInt8]? {
        guard contains(offset, length) else { return nil }
        if length > Self.windowSize { return load(offset, length) }
        if offset < windowStart || offset + length > windowStart + window.count {
            guard let loaded = load(offset, min(Self.windowSize, count - offset)) else { return nil }
            window = loaded
            windowStart = offset
        }
        let start = offset - windowStart
        return Array(window[start..<start + length])
    }

    private func load(_ offset: Int, _ length: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: length)
        var filled = 0
        while filled < length {
            let read = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress?.advanced(by: filled), length - filled, off_t(offset + filled))
            }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { return nil }
            filled += read
        }
        return bytes
    }
}

/// A part of other bytes.
struct BytesPart<Base: RandomAccessBytes>: RandomAccessBytes {
    let base: Base
    let start: Int
    let count: Int

    /// Returns nil where the part does not lie within the base.
    init?(_ base: Base, from start: Int, count: Int) {
        guard base.contains(start, count) else { return nil }
        self.base = base
        self.start = start
        self.count = count
    }

    func read(_ offset: Int, _ count: Int) -> [UInt8]? {
        contains(offset, count) ? base.read(start + offset, count) : nil
    }
}

extension [UInt8] {
    /// Returns the big-endian number at an index that the caller has checked.
    func bigEndian16(_ index: Int) -> Int { Int(self[index]) << 8 | Int(self[index + 1]) }
    /// Returns the big-endian number at an index that the caller has checked.
    func bigEndian32(_ index: Int) -> Int { bigEndian16(index) << 16 | bigEndian16(index + 2) }
    /// Returns the little-endian number at an index that the caller has checked.
    func littleEndian16(_ index: Int) -> Int { Int(self[index]) | Int(self[index + 1]) << 8 }
    /// Returns the little-endian number at an index that the caller has checked.
    func littleEndian32(_ index: Int) -> Int { littleEndian16(index) | littleEndian16(index + 2) << 16 }
}
