extension PhotoMetadata {
    /// Reads a TIFF-based file: CR2, NEF, ARW or DNG, or a plain TIFF.
    static func tiff(_ bytes: some RandomAccessBytes) -> PhotoMetadata? {
        guard var reader = TIFFReader(bytes), reader.magic == 42 else { return nil }
        var metadata = PhotoMetadata(format: "tiff", width: 0, height: 0, memory: DecodingMemory(other: 0, 0))
        metadata.isRaw = bytes.read(8, 2) == Array("CR".utf8)
        var waiting = [reader.firstDirectory]
        var isFirst = true
        while !waiting.isEmpty {
            guard let directory = reader.directory(at: waiting.removeFirst()) else { continue }
            if isFirst { metadata.exif.read(directory, &reader) }
            isFirst = false
            metadata.note(directory, in: bytes)
            waiting += directory.integers(0x014A).prefix(16)
            if directory.next != 0 { waiting.append(directory.next) }
        }
        if metadata.isRaw { metadata.format = "raw" }
        // The worker does not decode a raw's own pixels: it shows the largest embedded JPEG.
        if metadata.isRaw, let preview = metadata.largestPreview {
            metadata.width = preview.width
            metadata.height = preview.height
            metadata.memory = DecodingMemory(preview: preview)
        } else {
            metadata.memory = DecodingMemory(other: metadata.width, metadata.height)
        }
        return metadata.width > 0 && metadata.height > 0 ? metadata : nil
    }

    private mutating func note(_ directory: TIFFDirectory, in bytes: some RandomAccessBytes) {
        let photometric = directory.integer(0x0106)
        // A colour filter array, linear raw, or DNG's version: the marks of a raw.
        if photometric == 32_803 || photometric == 34_892 || directory.entries[0xC612] != nil { isRaw = true }
        if let offset = directory.integer(EXIFBlock.Tag.jpegOffset),
            let count = directory.integer(EXIFBlock.Tag.jpegLength)
        {
            note(offset, count, in: bytes)
        }
        // Strips of old (6) or new (7) JPEG compression; only a single strip is a JPEG of its own.
        let compression = directory.integer(0x0103)
        let offsets = directory.integers(0x0111)
        let counts = directory.integers(0x0117)
        if compression == 6 || compression == 7, offsets.count == 1, counts.count == 1 {
            note(offsets[0], counts[0], in: bytes)
        }
        if let width = directory.integer(0x0100), let height = directory.integer(0x0101),
            (1...1 << 20).contains(width), (1...1 << 20).contains(height), width * height > self.width * self.height
        {
            self.width = width
            self.height = height
        }
    }
}
