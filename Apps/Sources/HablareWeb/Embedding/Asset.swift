import Hummingbird

/// A file that is served below ``Assets/root``.
struct Asset: Sendable {
    let bytes: ByteBuffer
    let type: String

    /// Returns the media type for a path, or `nil` if its ending is unknown.
    static func type(of path: String) -> String? {
        switch path.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "ico": "image/x-icon"
        case "webp": "image/webp"
        case "jpg", "jpeg": "image/jpeg"
        case "woff2": "font/woff2"
        case "txt": "text/plain; charset=utf-8"
        default: nil
        }
    }
}
