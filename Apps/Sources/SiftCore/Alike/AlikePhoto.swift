/// The facts about one photo that the search for photos that are alike needs.
public struct AlikePhoto: Sendable, Hashable {
    /// The photo.
    public let id: PhotoID
    /// When it was taken, in seconds of the camera's clock; nil if the file does not say.
    public var captured: Double?
    /// The camera, so that bursts of two cameras are not joined.
    public var camera: String?
    /// The width as shown.
    public var width: Int
    /// The height as shown.
    public var height: Int
    /// The hashes and the sharpness.
    public var features: PhotoFeatures
    /// The exposure, to recognise brackets, panoramas and focus stacks.
    public var exposure: PhotoExposure

    /// Creates an entry.
    public init(
        id: PhotoID, captured: Double? = nil, camera: String? = nil, width: Int, height: Int,
        features: PhotoFeatures, exposure: PhotoExposure = PhotoExposure()
    ) {
        self.id = id
        self.captured = captured
        self.camera = camera
        self.width = width
        self.height = height
        self.features = features
        self.exposure = exposure
    }

    /// Creates an entry from a photo whose header and features are known. Returns nil for another one, and for a damaged
    /// photo: what two damaged photos have lost looks the same.
    public init?(_ photo: Photo) {
        guard let header = photo.header, let features = photo.features, !features.isDamaged else { return nil }
        self.init(
            id: photo.id, captured: header.captured?.localSeconds, camera: header.camera, width: header.displayWidth,
            height: header.displayHeight, features: features, exposure: header.exposure)
    }
}

/// A suggestion: photos of which a person may want to keep only some. Nothing in it is selected.
public struct AlikeGroup: Sendable, Hashable {
    /// Why the photos are together.
    public enum Reason: String, Sendable, Hashable, Codable {
        /// Taken one right after the other.
        case burst
        /// The pictures look the same.
        case nearDuplicate
    }

    /// Why the photos are together.
    public let reason: Reason
    /// The photos: of a burst in the order in which they were taken, of near-duplicates in the order of their ids.
    public let photos: [PhotoID]
    /// The photos of a burst by sharpness, the sharpest first. Empty for near-duplicates, whose sharpness says nothing.
    public let bySharpness: [PhotoID]

    /// Creates a group.
    public init(reason: Reason, photos: [PhotoID], bySharpness: [PhotoID] = []) {
        self.reason = reason
        self.photos = photos
        self.bySharpness = bySharpness
    }
}
