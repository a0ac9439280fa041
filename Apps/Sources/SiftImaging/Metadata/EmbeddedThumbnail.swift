/// Makes an embedded JPEG a file of its own.
enum EmbeddedThumbnail {
    /// Returns the JPEG with an EXIF block that holds nothing but the orientation, so that a browser turns it like the
    /// photo. Metadata of the thumbnail itself is left out: its orientation would turn it a second time. Nil where the
    /// bytes are no JPEG.
    static func oriented(_ bytes: some RandomAccessBytes, orientation: Int) -> [UInt8]? {
        guard let summary = JPEGSummary(bytes),
            let scan = bytes.read(summary.scanStart, bytes.count - summary.scanStart)
        else { return nil }
        var result: [UInt8] = [0xFF, 0xD8]
        if (2...8).contains(orientation) { result += exifSegment(UInt8(orientation)) }
        for place in summary.kept {
            guard let segment = bytes.read(place.offset, place.count) else { return nil }
            result += segment
        }
        return result + scan
    }

    /// An APP1 segment with one directory and one entry: orientation, type 3, count 1.
    private static func exifSegment(_ orientation: UInt8) -> [UInt8] {
        let block: [UInt8] =
            Array("Exif\0\0MM".utf8) + [
                0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0,
            ]
        return [0xFF, 0xE1, 0, UInt8(block.count + 2)] + block
    }
}
