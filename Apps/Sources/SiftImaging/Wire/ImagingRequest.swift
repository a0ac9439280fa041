import SiftCore

/// A job for a worker. The photo's descriptor travels beside it.
struct ImagingRequest: Hashable, Sendable {
    /// The kind of answer that a job wants.
    enum Kind: Hashable, Sendable {
        case header
        case embedded
        /// A picture of at most this edge; 0 means every pixel, as far as the worker's limit allows.
        case rendition(edge: Int)
        case features
    }

    let job: UInt64
    let kind: Kind
    /// Whether the answer is followed by the same picture as PNG, for the thumbnail cache.
    var wantsThumbnailFile = false

    var encoded: [UInt8] {
        var writer = WireWriter()
        writer.write(job)
        switch kind {
        case .header: writer.write(UInt8(1))
        case .embedded: writer.write(UInt8(2))
        case .rendition(let edge):
            writer.write(UInt8(3))
            writer.write(Int32(clamping: edge))
        case .features: writer.write(UInt8(4))
        }
        writer.write(wantsThumbnailFile)
        return writer.bytes
    }

    init(job: UInt64, kind: Kind, wantsThumbnailFile: Bool = false) {
        self.job = job
        self.kind = kind
        self.wantsThumbnailFile = wantsThumbnailFile
    }

    init(decoding payload: [UInt8]) throws(WireViolation) {
        var reader = WireReader(payload)
        job = try reader.integer()
        switch try reader.integer(UInt8.self) {
        case 1: kind = .header
        case 2: kind = .embedded
        case 3:
            let edge = Int(try reader.integer(Int32.self))
            guard (0...65_535).contains(edge) else { throw WireViolation(what: "an edge is outside its range") }
            kind = .rendition(edge: edge)
        case 4: kind = .features
        default: throw WireViolation(what: "an unknown kind of request")
        }
        wantsThumbnailFile = try reader.bool()
        try reader.end()
    }
}
