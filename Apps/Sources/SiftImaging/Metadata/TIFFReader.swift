/// Reads the directories of a TIFF structure, which EXIF and most raw formats share.
///
/// Offsets, counts and types are the file's claims. A directory has at most 512 entries, a value at most 64 KiB, and one
/// reader reads at most 64 directories, each once, so that a loop ends.
struct TIFFReader<Bytes: RandomAccessBytes> {
    private static var maximumEntries: Int { 512 }
    private static var maximumValue: Int { 64 << 10 }
    private static var maximumDirectories: Int { 64 }

    let bytes: Bytes
    /// The magic number: 42, or what a raw format puts there.
    let magic: Int
    /// The offset of the first directory.
    let firstDirectory: Int
    private let isLittleEndian: Bool
    private var visited: Set<Int> = []

    /// Returns nil where the bytes do not begin with a TIFF header.
    init?(_ bytes: Bytes) {
        guard let head = bytes.read(0, 8) else { return nil }
        switch (head[0], head[1]) {
        case (0x49, 0x49): isLittleEndian = true
        case (0x4D, 0x4D): isLittleEndian = false
        default: return nil
        }
        self.bytes = bytes
        magic = isLittleEndian ? head.littleEndian16(2) : head.bigEndian16(2)
        firstDirectory = isLittleEndian ? head.littleEndian32(4) : head.bigEndian32(4)
    }

    /// Returns the directory at an offset, and the offset of the next one (0: none); nil where it cannot be read, or was
    /// read before.
    mutating func directory(at offset: Int) -> TIFFDirectory? {
        guard offset >= 8, visited.count < Self.maximumDirectories, visited.insert(offset).inserted,
            let head = bytes.read(offset, 2)
        else { return nil }
        let count = number16(head, 0)
        guard count >= 1, count <= Self.maximumEntries, let body = bytes.read(offset + 2, count * 12) else {
            return nil
        }
        var entries: [Int: TIFFValue] = [:]
        for index in 0..<count {
            let place = index * 12
            let tag = number16(body, place)
            // The first of several entries with one tag counts, as in other readers.
            guard entries[tag] == nil else { continue }
            entries[tag] = value(body, place)
        }
        let next = bytes.read(offset + 2 + count * 12, 4).map { number32($0, 0) } ?? 0
        return TIFFDirectory(entries: entries, next: next)
    }

    private func value(_ body: [UInt8], _ place: Int) -> TIFFValue? {
        let type = number16(body, place + 2)
        let count = number32(body, place + 4)
        guard let size = Self.size(of: type), count >= 1, count <= Self.maximumValue / size else { return nil }
        let length = count * size
        let raw: [UInt8]?
        if length <= 4 {
            raw = Array(body[place + 8..<place + 8 + length])
        } else {
            raw = bytes.read(number32(body, place + 8), length)
        }
        guard let raw else { return nil }
        return TIFFValue(type: type, count: count, bytes: raw, isLittleEndian: isLittleEndian)
    }

    private static func size(of type: Int) -> Int? {
        switch type {
        case 1, 2, 6, 7: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12: 8
        default: nil
        }
    }

    private func number16(_ bytes: [UInt8], _ index: Int) -> Int {
        isLittleEndian ? bytes.littleEndian16(index) : bytes.bigEndian16(index)
    }

    private func number32(_ bytes: [UInt8], _ index: Int) -> Int {
        isLittleEndian ? bytes.littleEndian32(index) : bytes.bigEndian32(index)
    }
}

/// The values of one directory by tag.
struct TIFFDirectory {
    let entries: [Int: TIFFValue]
    let next: Int

    /// Returns the first number of an entry of whole numbers.
    func integer(_ tag: Int) -> Int? { entries[tag]?.integers.first }
    /// Returns the numbers of an entry of whole numbers.
    func integers(_ tag: Int) -> [Int] { entries[tag]?.integers ?? [] }
    /// Returns the first fraction of an entry. Nil where its denominator is 0.
    func fraction(_ tag: Int) -> Double? { entries[tag]?.fraction }
    /// Returns the text of an entry without what follows a zero byte, and without spaces around it; nil if nothing is
    /// left. Control characters become spaces.
    func text(_ tag: Int) -> String? { entries[tag]?.text }
}

/// One value of a directory.
struct TIFFValue {
    let type: Int
    let count: Int
    let bytes: [UInt8]
    let isLittleEndian: Bool

    var integers: [Int] {
        switch type {
        case 1, 7: return bytes.map(Int.init)
        case 3: return (0..<count).map { number16($0 * 2) }
        case 4, 13: return (0..<count).map { number32($0 * 4) }
        case 9: return (0..<count).map { Int(Int32(truncatingIfNeeded: number32($0 * 4))) }
        default: return []
        }
    }

    var fraction: Double? {
        guard type == 5 || type == 10 else { return nil }
        let numerator = number32(0)
        let denominator = number32(4)
        guard denominator != 0 else { return nil }
        if type == 5 { return Double(numerator) / Double(denominator) }
        let signedDenominator = Int32(truncatingIfNeeded: denominator)
        return Double(Int32(truncatingIfNeeded: numerator)) / Double(signedDenominator)
    }

    var text: String? {
        guard type == 2 else { return nil }
        let visible = bytes.prefix { $0 != 0 }.prefix(256).map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
        let text = String(decoding: visible, as: UTF8.self).split(separator: " ").joined(separator: " ")
        return text.isEmpty ? nil : text
    }

    private func number16(_ index: Int) -> Int {
        isLittleEndian ? bytes.littleEndian16(index) : bytes.bigEndian16(index)
    }

    private func number32(_ index: Int) -> Int {
        isLittleEndian ? bytes.littleEndian32(index) : bytes.bigEndian32(index)
    }
}
