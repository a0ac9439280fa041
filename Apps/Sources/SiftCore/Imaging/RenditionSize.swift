/// How large a picture of a photo is wanted.
public enum RenditionSize: Sendable, Hashable, Codable {
    /// The thumbnail that the camera stored in the file, as it is. The first pixels; may be missing.
    case embedded
    /// At most 256 pixels on an edge: the size "large" of the freedesktop thumbnail cache.
    case thumbnail
    /// At most 512 pixels on an edge: the size "x-large" of the freedesktop thumbnail cache.
    case card
    /// At most this many pixels on an edge.
    case screen(maximumEdge: Int)
    /// Every pixel of the photo.
    case full

    /// The longest edge in pixels, or nil for no limit (`embedded` and `full`).
    public var maximumEdge: Int? {
        switch self {
        case .embedded, .full: nil
        case .thumbnail: 256
        case .card: 512
        case .screen(let edge): edge
        }
    }
}

extension RenditionSize: CustomStringConvertible {
    /// A short name without spaces: `embedded`, `thumbnail`, `card`, `screen-2048` or `full`.
    public var description: String {
        switch self {
        case .embedded: "embedded"
        case .thumbnail: "thumbnail"
        case .card: "card"
        case .screen(let edge): "screen-\(edge)"
        case .full: "full"
        }
    }

    /// Reads a size as ``description`` writes it. Returns nil for anything else, and for edges outside 1...30,000.
    public init?(_ text: String) {
        switch text {
        case "embedded": self = .embedded
        case "thumbnail": self = .thumbnail
        case "card": self = .card
        case "full": self = .full
        default:
            guard text.hasPrefix("screen-"), let edge = Int(text.dropFirst(7)), (1...30_000).contains(edge),
                text == "screen-\(edge)"
            else { return nil }
            self = .screen(maximumEdge: edge)
        }
    }
}
