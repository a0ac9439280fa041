import CSiftImaging
import Foundation

/// The calls of `CSiftImaging` in Swift's words. The only file that touches its buffers.
enum Decoder {
    /// Why a call failed.
    struct Failure: Error, Hashable {
        let kind: ImagingAnswer.Failure
        let cause: String
    }

    /// Pixels that a call handed out. They are freed with the last reference.
    final class Pixels {
        fileprivate var raw: sift_pixels

        fileprivate init(_ raw: sift_pixels) { self.raw = raw }

        deinit { sift_free(raw.bytes) }

        var width: Int { Int(raw.width) }
        var height: Int { Int(raw.height) }
        var isDamaged: Bool { raw.is_damaged }
        /// A copy of the pixels: red, green and blue, row by row.
        var bytes: [UInt8] { Array(UnsafeBufferPointer(start: raw.bytes, count: width * height * 3)) }
    }

    /// A part of an open file. A count of 0 means the rest of the file.
    struct Part: Hashable {
        var descriptor: Int32
        var offset = 0
        var count = 0

        fileprivate var raw: sift_part {
            sift_part(descriptor: descriptor, offset: UInt64(clamping: offset), length: UInt64(clamping: count))
        }
    }

    /// A header as libvips reads it.
    struct Header {
        var format: String
        var width: Int
        var height: Int
        var pages: Int
        var orientation: Int
        var exif: [UInt8]
    }

    /// Starts libvips. Returns whether it works.
    static func start(threads: Int) -> Bool { sift_imaging_start(Int32(clamping: threads)) == 0 }

    /// Allows decodes again after an interruption.
    static func allowDecoding() { sift_allow_decoding() }

    /// Ends the decode that runs in this process. For a worker, which runs one at a time.
    static func interrupt() { sift_interrupt() }

    static func header(_ part: Part, maximumPixels: UInt64) throws(Failure) -> Header {
        var limits = sift_limits(maximum_pixels: maximumPixels)
        var header = sift_header()
        var exif = sift_bytes()
        try check(sift_read_header(part.raw, &limits, &header, &exif))
        let format =
            switch header.format {
            case SIFT_FORMAT_JPEG: "jpeg"
            case SIFT_FORMAT_PNG: "png"
            case SIFT_FORMAT_WEBP: "webp"
            case SIFT_FORMAT_HEIF: "heif"
            case SIFT_FORMAT_GIF: "gif"
            case SIFT_FORMAT_TIFF: "tiff"
            default: "other"
            }
        return Header(
            format: format, width: Int(header.width), height: Int(header.height), pages: Int(header.pages),
            orientation: Int(header.orientation), exif: taken(exif))
    }

    static func decode(
        _ part: Part, edge: Int, orientation: Int, maximumPixels: UInt64
    ) throws(Failure) -> Pixels {
        var limits = sift_limits(maximum_pixels: maximumPixels)
        var pixels = sift_pixels()
        try check(sift_decode(part.raw, Int32(clamping: edge), Int32(clamping: orientation), &limits, &pixels))
        return Pixels(pixels)
    }

    static func jpeg(_ pixels: Pixels, quality: Int) throws(Failure) -> [UInt8] {
        var encoded = sift_bytes()
        try check(sift_encode_jpeg(&pixels.raw, Int32(quality), &encoded))
        return taken(encoded)
    }

    static func webp(_ pixels: Pixels, quality: Int) throws(Failure) -> [UInt8] {
        var encoded = sift_bytes()
        try check(sift_encode_webp(&pixels.raw, Int32(quality), &encoded))
        return taken(encoded)
    }

    static func png(_ pixels: Pixels, compression: Int) throws(Failure) -> [UInt8] {
        var encoded = sift_bytes()
        try check(sift_encode_png(&pixels.raw, Int32(compression), &encoded))
        return taken(encoded)
    }

    /// Returns the luma reduced to `width × height` bytes, row by row.
    static func grey(_ pixels: Pixels, width: Int, height: Int) throws(Failure) -> [UInt8] {
        var grey = [UInt8](repeating: 0, count: width * height)
        try check(sift_reduce_grey(&pixels.raw, Int32(width), Int32(height), &grey))
        return grey
    }

    static func laplacianVariance(_ pixels: Pixels) throws(Failure) -> Double {
        var variance = 0.0
        try check(sift_laplacian_variance(&pixels.raw, &variance))
        return variance
    }

    /// Returns the 32 hexadecimal digits of an MD5.
    static func md5(_ bytes: [UInt8]) -> String {
        var digits = [CChar](repeating: 0, count: 33)
        _ = sift_md5(bytes, bytes.count, &digits)
        return String(decoding: digits.prefix(32).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Makes pixels of `width × height × 3` bytes, for tests. Returns nil where the number of bytes differs.
    static func pixels(_ bytes: [UInt8], width: Int, height: Int) -> Pixels? {
        guard width > 0, height > 0, bytes.count == width * height * 3, let memory = malloc(bytes.count) else {
            return nil
        }
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        var raw = sift_pixels()
        raw.bytes = memory.assumingMemoryBound(to: UInt8.self)
        raw.width = Int32(width)
        raw.height = Int32(height)
        return Pixels(raw)
    }

    private static func taken(_ bytes: sift_bytes) -> [UInt8] {
        defer { sift_free(bytes.bytes) }
        return Array(UnsafeBufferPointer(start: bytes.bytes, count: bytes.length))
    }

    private static func check(_ status: sift_status) throws(Failure) {
        let kind: ImagingAnswer.Failure
        switch status {
        case SIFT_OK: return
        case SIFT_NOT_AN_IMAGE: kind = .notAnImage
        case SIFT_TOO_LARGE: kind = .tooLarge
        case SIFT_UNREADABLE: kind = .unreadable
        case SIFT_INTERRUPTED: kind = .interrupted
        case SIFT_READ_FAILED: kind = .readFailed
        default: kind = .damaged
        }
        throw Failure(kind: kind, cause: String(cString: sift_last_error()))
    }
}
