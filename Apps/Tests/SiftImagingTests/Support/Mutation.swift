/// Damages files as disks, networks and attackers do.
enum Mutation: String, CaseIterable {
    /// One to eight changes: bytes flipped, set, cut off, doubled, or filled.
    case scattered
    /// The end is missing, as after a broken copy.
    case truncated
    /// Single bits differ, as after a failing disk.
    case flippedBits
    /// A segment or chunk claims another length.
    case wrongLength
    /// A text with the name of a photo.
    case text
    /// The header claims 30,000 × 30,000 pixels.
    case bomb
    /// The EXIF block has impossible numbers, offsets beyond its end, or loops.
    case lyingEXIF

    /// Returns the bytes with this damage. The same numbers give the same damage.
    func damage(_ bytes: [UInt8], _ numbers: inout SeededNumbers) -> [UInt8] {
        switch self {
        case .scattered: Self.damage(bytes, &numbers)
        case .truncated: Array(bytes.prefix(Int.random(in: 0..<max(1, bytes.count), using: &numbers)))
        case .flippedBits: Self.flipped(bytes, &numbers)
        case .wrongLength: Self.withWrongLength(bytes, &numbers)
        case .text: Array("Dear diary, photo number \(UInt64.random(in: 0 ... .max, using: &numbers))\n".utf8)
        case .bomb: Self.bomb(bytes)
        case .lyingEXIF: Self.withLyingEXIF(bytes, &numbers)
        }
    }

    /// Returns the bytes with one to eight changes: bytes flipped, set, cut off, doubled, or filled.
    static func damage(_ bytes: [UInt8], _ numbers: inout SeededNumbers) -> [UInt8] {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...8, using: &numbers) {
            guard !damaged.isEmpty else { break }
            // Headers decide more than pixels, so half of the changes fall into the first 512 bytes.
            let reach = Bool.random(using: &numbers) ? min(512, damaged.count) : damaged.count
            let place = Int.random(in: 0..<reach, using: &numbers)
            let run = min(Int.random(in: 1...64, using: &numbers), damaged.count - place)
            switch Int.random(in: 0..<6, using: &numbers) {
            case 0: damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            case 1: damaged[place] = UInt8.random(in: 0...255, using: &numbers)
            case 2: damaged[place] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &numbers) ?? 0
            case 3: damaged.removeSubrange(place..<place + run)
            case 4: damaged.insert(contentsOf: damaged[place..<place + run], at: place)
            default: damaged.removeLast(Int.random(in: 0..<damaged.count, using: &numbers) / 4)
            }
        }
        return damaged
    }

    private static func flipped(_ bytes: [UInt8], _ numbers: inout SeededNumbers) -> [UInt8] {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...32, using: &numbers) where !damaged.isEmpty {
            let place = Int.random(in: 0..<damaged.count, using: &numbers)
            damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
        }
        return damaged
    }

    /// The places of lengths, and their sizes in bytes.
    private static func lengths(_ bytes: [UInt8]) -> [(place: Int, size: Int)] {
        if bytes.starts(with: [0xFF, 0xD8]) {
            return (0..<max(0, bytes.count - 4)).filter { bytes[$0] == 0xFF && bytes[$0 + 1] >= 0xC0 }
                .map { ($0 + 2, 2) }
        }
        if bytes.starts(with: Array("RIFF".utf8)) {
            return (0..<max(0, bytes.count - 8))
                .filter { place in
                    ["RIFF", "VP8 ", "VP8L", "VP8X", "ANIM", "ANMF", "ALPH"].contains {
                        bytes[place..<place + 4].elementsEqual($0.utf8)
                    }
                }
                .map { ($0 + 4, 4) }
        }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            return (4..<max(4, bytes.count - 8))
                .filter { place in
                    ["IHDR", "IDAT", "PLTE", "tRNS", "IEND"].contains {
                        bytes[place..<place + 4].elementsEqual($0.utf8)
                    }
                }
                .map { ($0 - 4, 4) }
        }
        // TIFF and HEIF: numbers of four bytes, and no more is known here.
        return stride(from: 0, to: max(0, bytes.count - 4), by: 4).map { ($0, 4) }
    }

    private static func withWrongLength(_ bytes: [UInt8], _ numbers: inout SeededNumbers) -> [UInt8] {
        var damaged = bytes
        guard let (place, size) = lengths(bytes).randomElement(using: &numbers) else { return damaged }
        for index in 0..<size {
            damaged[place + index] =
                [0, 1, 0x7F, 0xFF, UInt8.random(in: 0...255, using: &numbers)]
                .randomElement(using: &numbers) ?? 0
        }
        return damaged
    }

    private static func bomb(_ bytes: [UInt8]) -> [UInt8] {
        var damaged = bytes
        let edge: [UInt8] = [0x75, 0x30]
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]), bytes.count > 33 {
            damaged.replaceSubrange(16..<24, with: [0, 0] + edge + [0, 0] + edge)
            damaged.replaceSubrange(29..<33, with: PNGTextTestsSupport.crc(Array(damaged[12..<29])))
            return damaged
        }
        if bytes.starts(with: [0xFF, 0xD8]) {
            for place in 2..<max(2, bytes.count - 9)
            where bytes[place] == 0xFF && [0xC0, 0xC1, 0xC2].contains(bytes[place + 1]) {
                damaged.replaceSubrange(place + 5..<place + 9, with: edge + edge)
            }
            return damaged
        }
        // The canvas of an extended WebP; in other files just a large number.
        let place = min(24, max(0, bytes.count - 6))
        damaged.replaceSubrange(place..<min(place + 6, bytes.count), with: [0x2F, 0x75, 0, 0x2F, 0x75, 0])
        return damaged
    }

    private static func withLyingEXIF(_ bytes: [UInt8], _ numbers: inout SeededNumbers) -> [UInt8] {
        var damaged = bytes
        let marker = Array("Exif\0\0".utf8)
        let known = (0..<max(0, bytes.count - 32)).first { bytes[$0..<$0 + 6].elementsEqual(marker) }
        let start: Int
        if let known {
            start = known + 6
        } else {
            guard bytes.starts(with: [0xFF, 0xD8]) else { return damage(bytes, &numbers) }
            // A block of its own: a header, a directory that claims many entries, and itself as the next one.
            let block: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0xFF, 0xFF] + [UInt8](repeating: 0x11, count: 48)
            let segment = marker + block + [0, 0, 0, 8]
            damaged.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(segment.count + 2)] + segment, at: 2)
            start = 12
        }
        let end = min(damaged.count - 4, start + 400)
        for _ in 0..<Int.random(in: 1...6, using: &numbers) where end > start {
            let place = Int.random(in: start..<end, using: &numbers)
            let word: [[UInt8]] = [[0, 0, 0, 0], [0, 0, 0, 8], [0x7F, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0xFF, 0xFF]]
            damaged.replaceSubrange(place..<place + 4, with: word.randomElement(using: &numbers) ?? word[0])
        }
        return damaged
    }
}
