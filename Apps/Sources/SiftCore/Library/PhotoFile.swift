/// The part that a file plays in its shot.
public enum FileRole: String, Sendable, Hashable, Codable, CaseIterable {
    /// A JPEG picture.
    case jpeg
    /// A HEIC, HEIF or AVIF picture.
    case heif
    /// A PNG picture.
    case png
    /// A WebP picture.
    case webp
    /// The data of the camera's sensor, with a preview inside.
    case raw
    /// A moving picture that was taken together with the picture.
    case video
    /// A voice note that was recorded to the picture.
    case audio
    /// A file of a program that belongs to the picture or its shot, such as an XMP sidecar.
    case sidecar

    /// Whether the file can be shown as a photo.
    public var isPicture: Bool {
        switch self {
        case .jpeg, .heif, .png, .webp, .raw: true
        case .video, .audio, .sidecar: false
        }
    }

    /// The order in which a shot's files are asked for its picture. The least comes first.
    var rank: Int {
        switch self {
        case .jpeg: 0
        case .heif: 1
        case .png: 2
        case .webp: 3
        case .raw: 4
        case .video: 5
        case .audio: 6
        case .sidecar: 7
        }
    }

    /// Returns the part of a file with this extension in lower case. Returns nil for a file that Sift leaves alone.
    public static func role(ofSuffix suffix: String) -> FileRole? { roles[suffix] }

    private static let roles: [String: FileRole] = {
        let suffixes: [(FileRole, String)] = [
            (.jpeg, "jpg jpeg jpe jfif"), (.heif, "heic heif hif avif"), (.png, "png"), (.webp, "webp"),
            (.raw, "3fr arw cr2 cr3 crw dcr dng erf fff gpr iiq k25 kdc mef mos mrw nef nrw orf pef raf raw rw2"),
            (.raw, "rwl sr2 srf srw x3f"), (.video, "mov mp4 m4v avi mts m2ts 3gp"), (.audio, "wav"),
            (.sidecar, "xmp aae pp3 dop thm on1 arp vrd"),
        ]
        return Dictionary(
            suffixes.flatMap { role, names in names.split(separator: " ").map { (String($0), role) } },
            uniquingKeysWith: { first, _ in first })
    }()
}

/// A file of a shot: where it is, which part it plays, and which state of it was seen.
public struct PhotoFile: Sendable, Hashable, Codable {
    /// The path inside the library.
    public var path: RelativePath
    /// The part that the file plays in its shot.
    public var role: FileRole
    /// The version that was seen.
    public var version: PhotoVersion

    /// Creates a file.
    public init(path: RelativePath, role: FileRole, version: PhotoVersion) {
        self.path = path
        self.role = role
        self.version = version
    }
}
