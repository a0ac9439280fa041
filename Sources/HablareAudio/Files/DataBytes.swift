import Foundation

/// Readable bytes in memory.
final class DataBytes: SeekableBytes {
    private let data: Data
    var position: Int64 = 0
    let failure: AudioError? = nil

    init(_ data: Data) {
        self.data = data
    }

    var length: Int64 {
        Int64(data.count)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard position >= 0, position < length else { return 0 }
        let start = data.startIndex + Int(position)
        let count = min(buffer.count, data.endIndex - start)
        data.copyBytes(to: buffer, from: start..<(start + count))
        position += Int64(count)
        return count
    }

    func write(_ buffer: UnsafeRawBufferPointer) -> Int {
        0
    }
}
