extension ResponseContent {
    /// How many bytes the content takes where it is kept: vectors 4 for each number, value trees those of their
    /// canonical encoding. Never reads a file.
    package var keptByteCount: Int64 {
        if let body { return Int64(body.byteCount) }
        switch self {
        case .embedding(let vector): return Int64(vector.count) * 4
        case .structured(let value):
            var bytes: [UInt8] = []
            do {
                try CanonicalEncoding.append(value, to: &bytes)
            } catch {
                return 0  // what cannot be encoded is not kept either
            }
            return Int64(bytes.count)
        case .text, .data, .audio, .image: return 0  // unreachable: they have a body
        }
    }
}
