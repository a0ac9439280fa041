/// Says which state of which file was seen: a file that is replaced or written to has another version.
public struct PhotoVersion: Sendable, Hashable, Codable {
    /// The number of the device that holds the file. May differ after the volume was mounted again.
    public let device: UInt64
    /// The number of the file on its device.
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
    /// again in the meantime and has another device number now.
    public func isSameFile(as other: PhotoVersion) -> Bool {
        inode == other.inode && size == other.size && modified == other.modified
    }
}
