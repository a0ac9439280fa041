/// The content of a JPEG's segments before its pixels.
struct JPEGSummary {
    /// How the pixels are coded.
    enum Coding: Sendable {
        case baseline, progressive
        /// Lossless, hierarchical or arithmetic: no thumbnail decoder reads these.
        case other
    }

    var width = 0
    var height = 0
    var precision = 8
    /// The number of colour components: 1, 3 or 4.
    var components = 0
    /// The samples of all components per pixel: 3 without subsampling, 1.5 with the usual halving of both directions.
    var samplesPerPixel = 1.0
    var coding = Coding.baseline
    /// Where the EXIF block's TIFF header lies.
    var exif: EXIFBlock.Place?
    /// Where the segments lie that a thumbnail keeps, and where its compressed pixels begin.
    var kept: [EXIFBlock.Place] = []
    var scanStart = 0

    /// The most segments that are looked at before the pixels.
    private static let maximumSegments = 2_048

    /// Reads the segments up to the first scan. Returns nil where the bytes are no JPEG or no frame precedes the scan.
    init?(_ bytes: some RandomAccessBytes) {
        guard let head = bytes.read(0, 3), head == [0xFF, 0xD8, 0xFF] else { return nil }
        var offset = 2
        for _ in 0..<Self.maximumSegments {
            guard let marker = bytes.read(offset, 2), marker[0] == 0xFF else { return nil }
            if marker[1] == 0xFF {
                offset += 1
                continue
            }
            guard marker[1] != 0xD8, marker[1] != 0xD9, marker[1] != 0x00, let size = bytes.read(offset + 2, 2) else {
                return nil
            }
            let count = size.bigEndian16(0)
            guard count >= 2, bytes.contains(offset + 2, count) else { return nil }
            if marker[1] == 0xDA {
                guard width > 0, height > 0 else { return nil }
                scanStart = offset
                return
            }
            note(marker[1], at: offset, count: count, in: bytes)
            offset += 2 + count
        }
        return nil
    }

    private mutating func note(_ marker: UInt8, at offset: Int, count: Int, in bytes: some RandomAccessBytes) {
        switch marker {
        case 0xC0...0xCF where marker != 0xC4 && marker != 0xC8 && marker != 0xCC:
            readFrame(marker, at: offset + 4, count: count - 2, in: bytes)
        case 0xE1:
            if exif == nil, count >= 16, bytes.read(offset + 4, 6) == [0x45, 0x78, 0x69, 0x66, 0, 0] {
                exif = EXIFBlock.Place(offset: offset + 10, count: count - 8)
            }
            return
        case 0xE3...0xED, 0xEF, 0xFE: return
        default: break
        }
        kept.append(EXIFBlock.Place(offset: offset, count: count + 2))
    }

    private mutating func readFrame(_ marker: UInt8, at offset: Int, count: Int, in bytes: some RandomAccessBytes) {
        guard count >= 6, let frame = bytes.read(offset, count) else { return }
        precision = Int(frame[0])
        height = frame.bigEndian16(1)
        width = frame.bigEndian16(3)
        components = Int(frame[5])
        coding = marker == 0xC0 || marker == 0xC1 ? .baseline : marker == 0xC2 ? .progressive : .other
        guard (1...4).contains(components), count >= 6 + components * 3 else { return }
        let factors = (0..<components).map { index -> (Int, Int) in
            let factor = frame[6 + index * 3 + 1]
            return (Int(factor >> 4), Int(factor & 15))
        }
        guard factors.allSatisfy({ (1...4).contains($0.0) && (1...4).contains($0.1) }) else { return }
        let widest = factors.map(\.0).max() ?? 1
        let highest = factors.map(\.1).max() ?? 1
        samplesPerPixel = factors.reduce(0) { $0 + Double($1.0 * $1.1) } / Double(widest * highest)
    }
}
