public import Foundation

/// A picture of a photo, encoded for a browser or a view.
public struct Rendition: Sendable, Hashable {
    /// The encoded picture.
    public let bytes: Data
    /// `image/jpeg` or `image/webp`.
    public let mediaType: String
    /// The width of the picture in pixels, with the orientation applied.
    public let width: Int
    /// The height of the picture in pixels, with the orientation applied.
    public let height: Int
    /// Whether the picture is the thumbnail that the camera stored, which may be soft or cropped.
    public let isEmbedded: Bool
    /// Whether the file is damaged, so that the picture shows only what is left of the photo.
    public let isDamaged: Bool

    /// Creates a picture from its encoded bytes.
    public init(
        bytes: Data, mediaType: String, width: Int, height: Int, isEmbedded: Bool = false, isDamaged: Bool = false
    ) {
        self.bytes = bytes
        self.mediaType = mediaType
        self.width = width
        self.height = height
        self.isEmbedded = isEmbedded
        self.isDamaged = isDamaged
    }
}
