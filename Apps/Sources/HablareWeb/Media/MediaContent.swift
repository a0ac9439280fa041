/// Bytes for a page, with their type.
///
/// Only images, audio and video are shown by a browser. Other types, and SVG, are sent as a download, because nothing
/// of a user's may run as a page.
public struct MediaContent: Sendable {
    /// The media type, such as `image/jpeg`.
    public let type: String
    let bytes: any MediaBytes

    /// Bytes in memory.
    public static func bytes(_ bytes: [UInt8], type: String) -> MediaContent {
        MediaContent(type: type, bytes: BytesInMemory(bytes))
    }

    /// An open file of a fixed length.
    public static func file(_ file: MediaFile, type: String) -> MediaContent {
        MediaContent(type: type, bytes: file)
    }

    /// A file that still grows. A reader at its end waits for more. It is not cached until it is complete.
    public static func growing(_ file: GrowingMediaFile, type: String) -> MediaContent {
        MediaContent(type: type, bytes: file)
    }
}
