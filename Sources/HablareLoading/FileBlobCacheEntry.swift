import Crypto
import Foundation
import Hablare

/// The content of one file of a ``FileBlobCache``: a key, a date, a blob, and a digest that shows whether the file is
/// damaged. This type is pure.
///
/// | bytes | content |
/// |---|---|
/// | 8 | `HBLBLOB1`: the file type and the version of this layout |
/// | 32 | SHA-256 of everything that follows |
/// | 8 | the date of storage, in milliseconds since 1970, signed |
/// | 4 | the length of the key |
/// | … | the key in UTF-8 |
/// | … | the blob |
///
/// Numbers are stored in big-endian order.
struct FileBlobCacheEntry: Hashable {
    var key: String
    var stored: Date
    var blob: Data

    private static let magic = Data("HBLBLOB1".utf8)
    private static let digestEnd = 8 + SHA256.byteCount
    private static let keyStart = digestEnd + 12

    /// Returns the size of a file in bytes, without its blob.
    static func overhead(key: String) -> Int { keyStart + key.utf8.count }

    init(key: String, stored: Date, blob: Data) {
        self.key = key
        self.stored = stored
        self.blob = blob
    }

    /// The bytes of the file.
    var encoded: Data {
        var data = Data(capacity: Self.overhead(key: key) + blob.count)
        data.append(Self.magic)
        data.append(Data(count: SHA256.byteCount))
        data.append(bigEndian: Self.milliseconds(stored))
        data.append(bigEndian: UInt32(clamping: key.utf8.count))
        data.append(contentsOf: key.utf8)
        data.append(blob)
        let digest = SHA256.hash(data: data[Self.digestEnd...])
        data.replaceSubrange(Self.magic.count..<Self.digestEnd, with: Data(digest))
        return data
    }

    /// Parses a file. Returns `nil` if the file is damaged or has another layout.
    init?(_ file: Data) {
        let file = file.startIndex == 0 ? file : Data(file)
        guard file.count >= Self.keyStart, file.prefix(8) == Self.magic,
            file[8..<Self.digestEnd] == Data(SHA256.hash(data: file[Self.digestEnd...]))
        else { return nil }
        let milliseconds = file.bigEndian(Int64.self, at: Self.digestEnd)
        let length = Int(file.bigEndian(UInt32.self, at: Self.digestEnd + 8))
        guard length <= file.count - Self.keyStart else { return nil }
        let keyEnd = Self.keyStart + length
        guard let key = String(validating: file[Self.keyStart..<keyEnd], as: UTF8.self) else { return nil }
        self.key = key
        stored = Date(timeIntervalSince1970: TimeInterval(milliseconds) / 1000)
        blob = Data(file[keyEnd...])
    }

    /// Returns a date in milliseconds since 1970, clamped to the range of the file format.
    private static func milliseconds(_ date: Date) -> Int64 {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
        guard !milliseconds.isNaN else { return 0 }
        return Int64(max(-9e15, min(9e15, milliseconds)))
    }
}

extension Data {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Returns the number at an offset. The bytes must exist.
    fileprivate func bigEndian<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Number {
        self[offset..<offset + MemoryLayout<Number>.size].reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }
}
