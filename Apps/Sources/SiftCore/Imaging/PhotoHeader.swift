public import Foundation

/// The contents of a photo's header. Every value is a claim of the file: check it before you rely on it.
public struct PhotoHeader: Sendable, Hashable, Codable {
    /// The format by content, not by name: `jpeg`, `png`, `webp`, `heif`, `raw`, or what the decoder calls it.
    public var format: String
    /// The width of the stored pixels, before the orientation is applied.
    public var width: Int
    /// The height of the stored pixels, before the orientation is applied.
    public var height: Int
    /// The EXIF orientation, 1 to 8. A missing or impossible one is 1.
    public var orientation: Int
    /// When the photo was taken, if the file says so.
    public var captured: CaptureTime?
    /// The maker and the model of the camera, if the file says so.
    public var camera: String?
    /// How the photo was exposed, as far as the file says so.
    public var exposure: PhotoExposure
    /// Whether the file holds a thumbnail that `RenditionSize.embedded` returns.
    public var hasEmbeddedThumbnail: Bool
    /// The number of pages or frames. 1 for a still picture.
    public var pages: Int
    /// The memory in bytes that decoding every pixel needs, roughly.
    public var predictedBytes: Int
    /// The memory in bytes that decoding at a reduced size (up to `card`) needs, roughly. Less than `predictedBytes`
    /// only where the decoder can reduce while it reads.
    public var predictedReducedBytes: Int

    /// Creates a header.
    public init(
        format: String, width: Int, height: Int, orientation: Int = 1, captured: CaptureTime? = nil,
        camera: String? = nil, exposure: PhotoExposure = PhotoExposure(), hasEmbeddedThumbnail: Bool = false,
        pages: Int = 1, predictedBytes: Int, predictedReducedBytes: Int? = nil
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.orientation = orientation
        self.captured = captured
        self.camera = camera
        self.exposure = exposure
        self.hasEmbeddedThumbnail = hasEmbeddedThumbnail
        self.pages = pages
        self.predictedBytes = predictedBytes
        self.predictedReducedBytes = predictedReducedBytes ?? predictedBytes
    }

    /// The width as shown, with the orientation applied.
    public var displayWidth: Int { orientation >= 5 ? height : width }
    /// The height as shown, with the orientation applied.
    public var displayHeight: Int { orientation >= 5 ? width : height }

    /// Returns the memory in bytes that a rendition of this size is predicted to need.
    public func predictedBytes(for size: RenditionSize) -> Int {
        switch size {
        case .embedded: min(predictedReducedBytes, 1 << 20)
        case .thumbnail, .card: predictedReducedBytes
        case .screen, .full: predictedBytes
        }
    }
}

/// The time at which a photo was taken, as the camera's clock showed it.
public struct CaptureTime: Sendable, Hashable, Codable {
    /// The clock's reading in seconds since 1970, read as if it were UTC. Includes the sub-seconds.
    public var localSeconds: Double
    /// Whether the file has sub-seconds. Without them, photos of one second have no order.
    public var hasSubseconds: Bool
    /// The clock's distance from UTC in seconds, if the file says so.
    public var offsetFromUTC: Int?

    /// Creates a capture time.
    public init(localSeconds: Double, hasSubseconds: Bool = false, offsetFromUTC: Int? = nil) {
        self.localSeconds = localSeconds
        self.hasSubseconds = hasSubseconds
        self.offsetFromUTC = offsetFromUTC
    }

    /// The moment, where a missing offset counts as UTC.
    public var date: Date { Date(timeIntervalSince1970: localSeconds - Double(offsetFromUTC ?? 0)) }
}

/// How a photo was exposed. Serves to recognise exposure brackets, panoramas and focus stacks.
public struct PhotoExposure: Sendable, Hashable, Codable {
    /// The exposure time in seconds.
    public var seconds: Double?
    /// The aperture's f-number.
    public var aperture: Double?
    /// The sensitivity as an ISO number.
    public var sensitivity: Int?
    /// The exposure compensation in stops (EXIF ExposureBiasValue).
    public var bias: Double?
    /// EXIF ExposureMode: 0 automatic, 1 manual, 2 automatic bracket.
    public var mode: Int?
    /// The focal length in millimetres.
    public var focalLength: Double?
    /// The distance of the subject in metres.
    public var subjectDistance: Double?

    /// Creates an exposure. Leave out what the file does not say.
    public init(
        seconds: Double? = nil, aperture: Double? = nil, sensitivity: Int? = nil, bias: Double? = nil,
        mode: Int? = nil, focalLength: Double? = nil, subjectDistance: Double? = nil
    ) {
        self.seconds = seconds
        self.aperture = aperture
        self.sensitivity = sensitivity
        self.bias = bias
        self.mode = mode
        self.focalLength = focalLength
        self.subjectDistance = subjectDistance
    }
}
