import SiftCore

/// A photo's header, and the places of the JPEGs that it embeds. Read without decoding.
struct PhotoMetadata {
    /// A JPEG in the file.
    struct EmbeddedJPEG: Hashable {
        let offset: Int
        let count: Int
        let width: Int
        let height: Int
        let coding: JPEGSummary.Coding
        let samplesPerPixel: Double
    }

    var format: String
    var width: Int
    var height: Int
    var pages = 1
    var exif = EXIFBlock()
    var embedded: [EmbeddedJPEG] = []
    var memory: DecodingMemory
    /// Whether the pixels that a person sees come from the largest embedded JPEG, because no decoder reads the raw ones.
    var isRaw = false

    /// The largest embedded JPEG.
    var largestPreview: EmbeddedJPEG? { embedded.max { $0.width * $0.height < $1.width * $1.height } }

    /// The embedded JPEG for the first pixels: the smallest that is at least 160 pixels wide or high, else the largest.
    var firstPixels: EmbeddedJPEG? {
        embedded.filter { max($0.width, $0.height) >= 160 }.min { $0.width * $0.height < $1.width * $1.height }
            ?? largestPreview
    }

    /// The header in the core's words.
    var header: PhotoHeader {
        PhotoHeader(
            format: format, width: width, height: height, orientation: exif.orientation, captured: exif.captured,
            camera: exif.camera, exposure: exif.exposure, hasEmbeddedThumbnail: firstPixels != nil, pages: pages,
            predictedBytes: memory.full, predictedReducedBytes: memory.reduced)
    }

    /// Reads the metadata of a JPEG, PNG, WebP or raw file. Returns nil for other formats and for what cannot be read.
    static func read(_ bytes: some RandomAccessBytes) -> PhotoMetadata? {
        guard let head = bytes.read(0, min(16, bytes.count)), head.count >= 8 else { return nil }
        if head.starts(with: [0xFF, 0xD8, 0xFF]) { return jpeg(bytes) }
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return png(bytes) }
        if head.starts(with: Array("RIFF".utf8)), head.count >= 12, Array(head[8..<12]) == Array("WEBP".utf8) {
            return webp(bytes)
        }
        if head.starts(with: [0x49, 0x49]) || head.starts(with: [0x4D, 0x4D]) { return tiff(bytes) }
        return nil
    }

    private static func jpeg(_ bytes: some RandomAccessBytes) -> PhotoMetadata? {
        guard let summary = JPEGSummary(bytes) else { return nil }
        var metadata = PhotoMetadata(
            format: "jpeg", width: summary.width, height: summary.height, memory: DecodingMemory(jpeg: summary))
        if let place = summary.exif, let block = BytesPart(bytes, from: place.offset, count: place.count) {
            metadata.exif = EXIFBlock(block)
            if let thumbnail = metadata.exif.thumbnail {
                metadata.note(place.offset + thumbnail.offset, thumbnail.count, in: bytes)
            }
        }
        return metadata
    }

    /// Notes an embedded JPEG if its frame is one that decoders and browsers read.
    mutating func note(_ offset: Int, _ count: Int, in bytes: some RandomAccessBytes) {
        guard let part = BytesPart(bytes, from: offset, count: count), let summary = JPEGSummary(part),
            summary.coding != .other, summary.precision == 8, summary.components == 1 || summary.components == 3
        else { return }
        let jpeg = EmbeddedJPEG(
            offset: offset, count: count, width: summary.width, height: summary.height, coding: summary.coding,
            samplesPerPixel: summary.samplesPerPixel)
        if !embedded.contains(where: { $0.offset == offset }) { embedded.append(jpeg) }
    }

    /// The most chunks of a PNG or WebP that are looked at.
    private static let maximumChunks = 4_096

    private static func png(_ bytes: some RandomAccessBytes) -> PhotoMetadata? {
        guard let first = bytes.read(8, 25), Array(first[4..<8]) == Array("IHDR".utf8), first.bigEndian32(0) == 13
        else { return nil }
        let width = first.bigEndian32(8)
        let height = first.bigEndian32(12)
        guard (1...Int(Int32.max)).contains(width), (1...Int(Int32.max)).contains(height) else { return nil }
        let samples = [0: 1, 2: 3, 3: 3, 4: 2, 6: 4][Int(first[17])] ?? 4
        var metadata = PhotoMetadata(
            format: "png", width: width, height: height,
            memory: DecodingMemory(
                png: width, height, bytesPerPixel: samples * (first[16] == 16 ? 2 : 1), isInterlaced: first[20] != 0))
        var offset = 33
        for _ in 0..<maximumChunks {
            guard let head = bytes.read(offset, 8) else { break }
            let count = head.bigEndian32(0)
            switch Array(head[4..<8]) {
            case Array("eXIf".utf8):
                if let block = BytesPart(bytes, from: offset + 8, count: count) { metadata.exif = EXIFBlock(block) }
            case Array("acTL".utf8):
                if let frames = bytes.read(offset + 8, 4) { metadata.pages = max(1, frames.bigEndian32(0)) }
            case Array("IDAT".utf8), Array("IEND".utf8): return metadata
            default: break
            }
            offset += 12 + count
        }
        return metadata
    }

    private static func webp(_ bytes: some RandomAccessBytes) -> PhotoMetadata? {
        var size: (Int, Int)?
        var pages = 0
        var isLossless = false
        var exif = EXIFBlock()
        var offset = 12
        for _ in 0..<maximumChunks {
            guard let head = bytes.read(offset, 8) else { break }
            let count = head.littleEndian32(4)
            let data = offset + 8
            switch String(decoding: head[0..<4], as: UTF8.self) {
            case "VP8X":
                guard let body = bytes.read(data, 10) else { return nil }
                size = (
                    1 + (body.littleEndian16(4) | Int(body[6]) << 16), 1 + (body.littleEndian16(7) | Int(body[9]) << 16)
                )
            case "VP8 " where size == nil:
                guard let body = bytes.read(data, 10) else { return nil }
                size = (body.littleEndian16(6) & 0x3FFF, body.littleEndian16(8) & 0x3FFF)
            case "VP8L":
                guard let body = bytes.read(data, 5) else { return nil }
                let packed = body.littleEndian32(1)
                isLossless = true
                if size == nil { size = (1 + packed & 0x3FFF, 1 + (packed >> 14) & 0x3FFF) }
            case "ANMF": pages += 1
            case "EXIF":
                let prefix = bytes.read(data, 6) == [0x45, 0x78, 0x69, 0x66, 0, 0] ? 6 : 0
                if count > prefix, let block = BytesPart(bytes, from: data + prefix, count: count - prefix) {
                    exif = EXIFBlock(block)
                }
            default: break
            }
            offset = data + count + count % 2
        }
        guard let (width, height) = size, width > 0, height > 0 else { return nil }
        var metadata = PhotoMetadata(
            format: "webp", width: width, height: height,
            memory: DecodingMemory(webp: width, height, isLossless: isLossless))
        metadata.pages = max(1, pages)
        metadata.exif = exif
        metadata.exif.thumbnail = nil
        return metadata
    }
}
