/// Reads the bytes of a ``ByteWriter``. Any bytes are safe to read: damage is an error.
struct ByteReader {
    /// An error: the bytes are not those of a writer.
    struct Damage: Error {}

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    /// Creates a reader. The bytes must outlive it.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func byte() throws -> UInt8 {
        guard offset < bytes.count else { throw Damage() }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func unsigned() throws -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64 {
            let byte = try byte()
            number |= UInt64(byte & 0x7F) << shift
            guard byte & 0x80 != 0 else { return number }
            shift += 7
        }
        throw Damage()
    }

    mutating func number() throws -> Int {
        let zigzag = try unsigned()
        return Int(truncatingIfNeeded: Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1))
    }

    /// Reads a count of things that take at least a byte each.
    mutating func count() throws -> Int {
        let count = try unsigned()
        guard count <= UInt64(bytes.count - offset) else { throw Damage() }
        return Int(count)
    }

    mutating func string() throws -> String {
        let count = try count()
        defer { offset += count }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]), as: UTF8.self)
    }

    mutating func optional<T>(_ read: (inout ByteReader) throws -> T) throws -> T? {
        switch try byte() {
        case 0: nil
        case 1: try read(&self)
        default: throw Damage()
        }
    }

    mutating func array<T>(_ read: (inout ByteReader) throws -> T) throws -> [T] {
        let count = try count()
        var values: [T] = []
        values.reserveCapacity(min(count, 256))
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }
}
