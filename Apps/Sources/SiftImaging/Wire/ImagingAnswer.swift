import Foundation
import SiftCore

/// An answer of a worker. One job has one or more answers, of which the last is marked.
struct ImagingAnswer: Hashable, Sendable {
    /// Why a worker could not do a job. The worker itself is fine.
    enum Failure: UInt8, Hashable, Sendable {
        case notAnImage = 1
        case tooLarge = 2
        case damaged = 3
        case unreadable = 4
        case noThumbnail = 5
        /// The job was cancelled while it ran.
        case interrupted = 6
        /// The medium or the network failed; the photo itself may be fine.
        case readFailed = 7
    }

    enum Content: Hashable, Sendable {
        case failure(Failure, String)
        case header(PhotoHeader)
        case rendition(Rendition)
        case features(PhotoFeatures)
        case thumbnailFile([UInt8])
    }

    let job: UInt64
    let isLast: Bool
    let content: Content

    var encoded: [UInt8] {
        var writer = WireWriter()
        writer.write(job)
        writer.write(isLast)
        switch content {
        case .failure(let failure, let cause):
            writer.write(UInt8(1))
            writer.write(failure.rawValue)
            writer.write(cause)
        case .header(let header):
            writer.write(UInt8(2))
            writer.write(header)
        case .rendition(let rendition):
            writer.write(UInt8(3))
            writer.write(rendition.isDamaged)
            writer.write(rendition.isEmbedded)
            writer.write(rendition.mediaType == "image/webp")
            writer.write(Int32(clamping: rendition.width))
            writer.write(Int32(clamping: rendition.height))
            writer.write(Array(rendition.bytes))
        case .features(let features):
            writer.write(UInt8(4))
            writer.write(features.isDamaged)
            writer.write(features.hash64.bits)
            writer.write(features.hash256.words.0)
            writer.write(features.hash256.words.1)
            writer.write(features.hash256.words.2)
            writer.write(features.hash256.words.3)
            writer.write(features.sharpness)
        case .thumbnailFile(let bytes):
            writer.write(UInt8(5))
            writer.write(bytes)
        }
        return writer.bytes
    }

    init(job: UInt64, isLast: Bool = true, _ content: Content) {
        self.job = job
        self.isLast = isLast
        self.content = content
    }

    init(decoding payload: [UInt8]) throws(WireViolation) {
        var reader = WireReader(payload)
        job = try reader.integer()
        isLast = try reader.bool()
        switch try reader.integer(UInt8.self) {
        case 1:
            guard let failure = Failure(rawValue: try reader.integer()) else {
                throw WireViolation(what: "an unknown failure")
            }
            content = .failure(failure, try reader.text())
        case 2: content = .header(try reader.header())
        case 3: content = try Self.rendition(&reader)
        case 4:
            let isDamaged = try reader.bool()
            let hash64 = PhotoHash64(bits: try reader.integer())
            let hash256 = PhotoHash256(
                words: (try reader.integer(), try reader.integer(), try reader.integer(), try reader.integer()))
            let sharpness = try reader.double()
            guard sharpness.isFinite, sharpness >= 0 else { throw WireViolation(what: "a sharpness is no number") }
            content = .features(
                PhotoFeatures(hash64: hash64, hash256: hash256, sharpness: sharpness, isDamaged: isDamaged))
        case 5: content = .thumbnailFile(try reader.data())
        default: throw WireViolation(what: "an unknown kind of answer")
        }
        try reader.end()
    }

    private static func rendition(_ reader: inout WireReader) throws(WireViolation) -> Content {
        let isDamaged = try reader.bool()
        let isEmbedded = try reader.bool()
        let isWebP = try reader.bool()
        let width = Int(try reader.integer(Int32.self))
        let height = Int(try reader.integer(Int32.self))
        let bytes = try reader.data()
        guard (1...65_535).contains(width), (1...65_535).contains(height) else {
            throw WireViolation(what: "a picture has an impossible size")
        }
        // A browser trusts the media type, so bytes of another kind must not reach it under that name.
        let begins = isWebP ? bytes.starts(with: Array("RIFF".utf8)) : bytes.starts(with: [0xFF, 0xD8, 0xFF])
        guard begins else { throw WireViolation(what: "a picture is not of its type") }
        let rendition = Rendition(
            bytes: Data(bytes), mediaType: isWebP ? "image/webp" : "image/jpeg", width: width, height: height,
            isEmbedded: isEmbedded, isDamaged: isDamaged)
        return .rendition(rendition)
    }
}
