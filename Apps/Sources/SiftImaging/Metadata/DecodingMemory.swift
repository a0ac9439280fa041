/// A prediction of the memory in bytes that a worker needs beside its own 31 MB, from the header alone.
///
/// Measured with libvips 8.14.1 on photos of 6,000 × 4,000 pixels as the growth of the process's peak, `reduced` to 512
/// pixels · `full`, in MB: baseline JPEG 8 · 83; progressive JPEG 4:2:0 76 · 151, 4:4:4 145 · 220; PNG 29 · 82, with
/// 16 bits 38 · 91, interlaced 88 · 142; lossy WebP 8 · 246; HEIC 192 · 241.
struct DecodingMemory: Hashable {
    /// The bytes for decoding at up to 512 pixels.
    var reduced: Int
    /// The bytes for decoding every pixel.
    var full: Int

    /// Buffers that each decode needs.
    private static let base = 10 << 20
    /// Larger claims are cut, so that no product overflows.
    private static let maximumPixels = 1 << 40
    /// How many lines the reduction of a decoder that cannot shrink holds.
    private static let lines = 1_100

    private static func pixels(_ width: Int, _ height: Int) -> Int {
        let (product, overflows) = width.multipliedReportingOverflow(by: height)
        return overflows ? maximumPixels : min(max(product, 0), maximumPixels)
    }

    private init(reduced: Int, full: Int) {
        self.reduced = Self.base + reduced
        self.full = Self.base + full
    }

    /// A JPEG: a progressive one keeps all its coefficients, two bytes each, until its last scan is read.
    init(jpeg summary: JPEGSummary) {
        self.init(
            jpeg: summary.width, summary.height, isProgressive: summary.coding != .baseline,
            samplesPerPixel: summary.samplesPerPixel)
    }

    /// An embedded JPEG.
    init(preview: PhotoMetadata.EmbeddedJPEG) {
        self.init(
            jpeg: preview.width, preview.height, isProgressive: preview.coding != .baseline,
            samplesPerPixel: preview.samplesPerPixel)
    }

    private init(jpeg width: Int, _ height: Int, isProgressive: Bool, samplesPerPixel: Double) {
        let pixels = Self.pixels(width, height)
        let coefficients = isProgressive ? Int(2 * samplesPerPixel * Double(pixels)) : 0
        self.init(reduced: coefficients, full: coefficients + 3 * pixels)
    }

    /// A PNG: an interlaced one is decoded as a whole before it is reduced.
    init(png width: Int, _ height: Int, bytesPerPixel: Int, isInterlaced: Bool) {
        let pixels = Self.pixels(width, height)
        let window = min(pixels, Self.pixels(width, Self.lines)) * bytesPerPixel
        let whole = isInterlaced ? pixels * bytesPerPixel : 0
        self.init(reduced: isInterlaced ? whole : window, full: whole + 3 * pixels)
    }

    /// A WebP: a lossy one is reduced while it is decoded, a lossless one is not.
    init(webp width: Int, _ height: Int, isLossless: Bool) {
        let pixels = Self.pixels(width, height)
        self.init(reduced: isLossless ? 4 * pixels : 0, full: 10 * pixels)
    }

    /// HEIC and AVIF, which are decoded as a whole.
    init(heif width: Int, _ height: Int) {
        let pixels = Self.pixels(width, height)
        self.init(reduced: 8 * pixels, full: 10 * pixels)
    }

    /// Any other format, decoded as a whole with up to 16 bits a sample.
    init(other width: Int, _ height: Int) {
        let pixels = Self.pixels(width, height)
        self.init(reduced: 6 * pixels, full: 9 * pixels)
    }
}
