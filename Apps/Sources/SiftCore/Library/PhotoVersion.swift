/// Says which state of which file was seen: a file that is replaced or written to has another version.
public struct PhotoVersion: Sendable, Hashable, Codable {
    /// The number of the device that holds the file. May differ after the volume was mounted again.
    public let device: UInt64
    /// The number of the file on its device. 0 on a file system that makes numbers up, such as FAT.
    public let inode: UInt64
    /// The size in bytes.
    public let size: Int64
    /// The time of the last modification, in nanoseconds since 1970.
    public let modified: Int64

    /// Creates a version from the fields of `stat`.
    public init(device: UInt64, inode: UInt64, size: Int64, modified: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
    }

    /// Returns whether this and another version are of the same file in the same state, also if the volume was mounted
    /// again in the meantime and has another device number now. Without the number of a file, the size and the time
    /// decide: compare the names, too.
    public func isSameFile(as other: PhotoVersion) -> Bool {
        (inode == other.inode || !hasInode || !other.hasInode) && hasState(of: other)
    }

    /// Whether the file has a lasting number.
    var hasInode: Bool { inode != 0 }

    /// Returns whether the size and the time are those of another version.
    func hasState(of other: PhotoVersion) -> Bool { size == other.size && modified == other.modified }
}
