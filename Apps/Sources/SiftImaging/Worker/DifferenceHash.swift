import SiftCore

/// The difference hashes of ImageHash's `dhash`: each bit says whether a reduced pixel is brighter than its left neighbour.
enum DifferenceHash {
    static func hash64(_ pixels: Decoder.Pixels) throws(Decoder.Failure) -> PhotoHash64 {
        let grey = try Decoder.grey(pixels, width: 9, height: 8)
        return PhotoHash64(bits: words(grey, size: 8)[0])
    }

    static func hash256(_ pixels: Decoder.Pixels) throws(Decoder.Failure) -> PhotoHash256 {
        let words = words(try Decoder.grey(pixels, width: 17, height: 16), size: 16)
        return PhotoHash256(words: (words[0], words[1], words[2], words[3]))
    }

    /// Returns `size × size` bits in reading order, the first as the highest bit of the first word. `grey` has `size` rows
    /// of `size + 1` bytes.
    static func words(_ grey: [UInt8], size: Int) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: size * size / 64)
        for row in 0..<size {
            for column in 0..<size {
                let left = row * (size + 1) + column
                let bit = row * size + column
                if grey[left + 1] > grey[left] { words[bit / 64] |= 1 << UInt64(63 - bit % 64) }
            }
        }
        return words
    }
}
