import SiftCore

/// The opaque names of a photo and its version in addresses and commands.
enum PhotoAddress {
    /// Returns the name of a version. It contains no part of a path.
    static func text(of version: PhotoVersion) -> String {
        [
            String(version.device, radix: 36), String(version.inode, radix: 36), String(version.size, radix: 36),
            String(version.modified, radix: 36),
        ].joined(separator: ".")
    }

    /// Reads a version as ``text(of:)`` writes it. Returns `nil` for anything else.
    static func version(_ text: String) -> PhotoVersion? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let device = UInt64(parts[0], radix: 36), let inode = UInt64(parts[1], radix: 36),
            let size = Int64(parts[2], radix: 36),
            let modified = Int64(parts[3], radix: 36)
        else { return nil }
        let version = PhotoVersion(device: device, inode: inode, size: size, modified: modified)
        return self.text(of: version) == text ? version : nil
    }

    /// Returns the address of a picture of a photo.
    static func picture(_ id: PhotoID, _ version: PhotoVersion, _ size: RenditionSize) -> String {
        "/media/\(id)/\(text(of: version))/\(size)"
    }
}

extension PhotoAddress {
    /// Whether pages ask for pictures of this size. Others are refused, so that a page cannot fill the cache.
    static func isOffered(_ size: RenditionSize) -> Bool {
        switch size {
        case .embedded, .thumbnail, .card, .full: true
        case .screen(let edge): edge == PhotoState.cardEdge || edge == PhotoState.halfEdge
        }
    }
}
