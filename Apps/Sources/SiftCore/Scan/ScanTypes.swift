/// A shot as a scan knows it from the store.
public struct KnownShot: Sendable, Hashable {
    /// The shot's number.
    public let id: PhotoID
    /// The folder that held it.
    public var folder: RelativeFolder
    /// The text that names the shot in its folder.
    public var key: [UInt8]
    /// The files, the picture first.
    public var files: [PhotoFile]
    /// Where the shot was.
    public var state: Photo.State
    /// The digest of the picture's content, if it was computed.
    public var digest: [UInt8]?

    /// Creates a known shot.
    public init(
        id: PhotoID, folder: RelativeFolder, key: [UInt8], files: [PhotoFile], state: Photo.State = .present,
        digest: [UInt8]? = nil
    ) {
        self.id = id
        self.folder = folder
        self.key = key
        self.files = files
        self.state = state
        self.digest = digest
    }
}

/// A shot as a scan found it in a folder.
public struct FoundShot: Sendable, Hashable {
    /// The folder that holds it.
    public var folder: RelativeFolder
    /// The text that names the shot in its folder.
    public var key: [UInt8]
    /// The files, the picture first.
    public var files: [PhotoFile]

    /// Creates a found shot.
    public init(folder: RelativeFolder, key: [UInt8], files: [PhotoFile]) {
        self.folder = folder
        self.key = key
        self.files = files
    }

    /// The version of the picture.
    public var version: PhotoVersion { files[0].version }
}

/// A change of the store that follows from a scan.
public enum ScanEdit: Sendable, Hashable {
    /// A shot that the store did not know.
    case insert(FoundShot)
    /// A known shot whose files or versions changed, at the same place. If its picture was written to, the shot is
    /// undecided again, and keeps its marks.
    case update(PhotoID, FoundShot, hasNewPicture: Bool)
    /// A known shot that is at another place now.
    case move(PhotoID, FoundShot)
    /// A known shot whose files are gone.
    case lose(PhotoID)
}
