import Foundation
import SiftCore

/// One job in a worker: reads the metadata, decodes, and sends the answers.
struct ImagingJob {
    let request: ImagingRequest
    let descriptor: Int32
    let limits: ImagingLimits

    /// The quality of JPEGs up to the size of a card, and of larger ones.
    private static let quality = (small: 82, large: 90)
    /// The edge of the picture from which features are computed, and the largest that counts as small.
    static let cardEdge = 512
    /// The largest thumbnail in bytes that is handed out as the first pixels.
    private static let maximumFirstPixels = 2 << 20

    /// Does the job. A failure to decode is an answer; only a failure to send is thrown.
    func run(_ send: (ImagingAnswer) throws(Channel.Failure) -> Void) throws(Channel.Failure) {
        var decoded: Decoder.Pixels?
        let content: ImagingAnswer.Content
        do throws(Decoder.Failure) {
            switch request.kind {
            case .header: content = .header(try metadata().header)
            case .embedded: content = try embedded()
            case .features: content = try features()
            case .rendition(let edge):
                let pixels = try decode(edge: edge)
                content = try picture(of: pixels)
                decoded = pixels
            }
        } catch {
            content = .failure(error.kind, error.cause)
        }
        // The picture goes first, so that the caller does not wait for the thumbnail cache.
        guard request.wantsThumbnailFile, let decoded, !decoded.isDamaged else {
            return try send(ImagingAnswer(job: request.job, content))
        }
        try send(ImagingAnswer(job: request.job, isLast: false, content))
        let file: ImagingAnswer.Content
        do throws(Decoder.Failure) { file = .thumbnailFile(try Decoder.png(decoded, compression: 1)) } catch {
            file = .failure(error.kind, error.cause)
        }
        try send(ImagingAnswer(job: request.job, file))
    }

    /// Reads the metadata without libvips where we can, because that is faster and reads more.
    private func metadata() throws(Decoder.Failure) -> PhotoMetadata {
        guard let bytes = DescriptorBytes(descriptor) else {
            throw Decoder.Failure(kind: .unreadable, cause: "not a regular file")
        }
        if let metadata = PhotoMetadata.read(bytes) { return metadata }
        let header = try Decoder.header(.init(descriptor: descriptor), maximumPixels: limits.maximumPixels)
        let isHEIF = header.format == "heif"
        let memory =
            isHEIF
            ? DecodingMemory(heif: header.width, header.height) : DecodingMemory(other: header.width, header.height)
        var metadata = PhotoMetadata(format: header.format, width: header.width, height: header.height, memory: memory)
        metadata.pages = max(1, header.pages)
        let start = header.exif.starts(with: Array("Exif\0\0".utf8)) ? 6 : 0
        metadata.exif = EXIFBlock(MemoryBytes(bytes: Array(header.exif.dropFirst(start))))
        metadata.exif.thumbnail = nil
        // The decoder of HEIF turns the pixels itself, so they must not be turned again.
        metadata.exif.orientation = isHEIF ? 1 : header.orientation
        return metadata
    }

    /// Returns the thumbnail that the camera stored. Its bytes are copied, not decoded.
    private func embedded() throws(Decoder.Failure) -> ImagingAnswer.Content {
        let metadata = try metadata()
        guard let jpeg = metadata.firstPixels, jpeg.count <= Self.maximumFirstPixels,
            let file = DescriptorBytes(descriptor), let part = BytesPart(file, from: jpeg.offset, count: jpeg.count),
            let bytes = EmbeddedThumbnail.oriented(part, orientation: metadata.exif.orientation)
        else { throw Decoder.Failure(kind: .noThumbnail, cause: "the file has no thumbnail") }
        let isTurned = metadata.exif.orientation >= 5
        let rendition = Rendition(
            bytes: Data(bytes), mediaType: "image/jpeg", width: isTurned ? jpeg.height : jpeg.width,
            height: isTurned ? jpeg.width : jpeg.height, isEmbedded: true)
        return .rendition(rendition)
    }

    private func decode(edge: Int) throws(Decoder.Failure) -> Decoder.Pixels {
        let metadata = try metadata()
        var part = Decoder.Part(descriptor: descriptor)
        var size = (width: metadata.width, height: metadata.height)
        if metadata.isRaw {
            guard let preview = metadata.largestPreview else {
                throw Decoder.Failure(kind: .notAnImage, cause: "the raw file has no preview")
            }
            part.offset = preview.offset
            part.count = preview.count
            size = (preview.width, preview.height)
        }
        // 0 leaves the orientation to libvips, for formats whose metadata we do not read ourselves.
        let isOurs = ["jpeg", "png", "webp", "raw"].contains(metadata.format)
        return try Decoder.decode(
            part, edge: edge == 0 ? fullEdge(size) : edge, orientation: isOurs ? metadata.exif.orientation : 0,
            maximumPixels: limits.maximumPixels)
    }

    /// Returns the edge of a full-size picture: the photo's own, or less where that exceeds the limit.
    private func fullEdge(_ size: (width: Int, height: Int)) -> Int {
        let longest = min(max(size.width, size.height, 1), 65_535)
        let pixels = Double(max(size.width, 1)) * Double(max(size.height, 1))
        let limit = Double(limits.maximumFullPixels)
        guard pixels > limit else { return longest }
        return max(1, Int(Double(longest) * (limit / pixels).squareRoot()))
    }

    private func picture(of pixels: Decoder.Pixels) throws(Decoder.Failure) -> ImagingAnswer.Content {
        let isSmall = max(pixels.width, pixels.height) <= Self.cardEdge
        let bytes = try Decoder.jpeg(pixels, quality: isSmall ? Self.quality.small : Self.quality.large)
        let rendition = Rendition(
            bytes: Data(bytes), mediaType: "image/jpeg", width: pixels.width, height: pixels.height,
            isDamaged: pixels.isDamaged)
        return .rendition(rendition)
    }

    private func features() throws(Decoder.Failure) -> ImagingAnswer.Content {
        let pixels = try decode(edge: Self.cardEdge)
        let features = PhotoFeatures(
            hash64: try DifferenceHash.hash64(pixels), hash256: try DifferenceHash.hash256(pixels),
            sharpness: try Decoder.laplacianVariance(pixels), isDamaged: pixels.isDamaged)
        return .features(features)
    }
}
