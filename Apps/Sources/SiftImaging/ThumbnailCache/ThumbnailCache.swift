import Foundation

/// The thumbnail cache that the desktop's programs share (freedesktop Thumbnail Managing Standard).
///
/// Files lie in `large` (256 pixels) and `x-large` (512) under the MD5 of the photo's URI, with mode 0600 in folders with
/// mode 0700. A thumbnail counts only if its URI and the photo's time of modification, in whole seconds, are equal. Nothing
/// here throws: a cache that cannot be read or written is an empty cache. Calls block on the disk.
public struct ThumbnailCache: Sendable, Hashable {
    /// The size of a thumbnail.
    public enum Size: String, Sendable, Hashable, CaseIterable {
        /// At most 256 pixels.
        case large = "large"
        /// At most 512 pixels.
        case extraLarge = "x-large"

        /// The longest edge in pixels.
        public var edge: Int { self == .large ? 256 : 512 }
    }

    /// A photo's file, as the cache knows it.
    public struct Key: Sendable, Hashable {
        /// The URI of the file.
        public let uri: String
        /// The time of its last modification in seconds since 1970.
        public let modified: Int64

        /// Creates a key. Returns nil unless the path is absolute.
        ///
        /// - Parameters:
        ///   - path: The absolute path as bytes, which need not be UTF-8.
        ///   - modified: The time of the last modification in seconds since 1970.
        public init?(path: [UInt8], modified: Int64) {
            guard path.first == 0x2F else { return nil }
            uri = FileURI.uri(ofPath: path)
            self.modified = modified
        }

        /// The name of the thumbnail: the MD5 of the URI.
        var name: String { Decoder.md5(Array(uri.utf8)) + ".png" }
    }

    private let folder: String
    /// The folder of failures of this version: a new version tries again.
    private static let failures = "fail/sift-1"

    /// Creates a cache.
    ///
    /// - Parameter folder: The absolute path of the cache, usually ``defaultFolder(environment:)``.
    public init(folder: String) { self.folder = folder }

    /// Returns `$XDG_CACHE_HOME/thumbnails`, or `~/.cache/thumbnails`, or nil where neither variable is absolute.
    public static func defaultFolder(environment: [String: String]) -> String? {
        if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") { return cache + "/thumbnails" }
        if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.cache/thumbnails" }
        return nil
    }

    /// Returns the path at which a photo's thumbnail lies if there is one.
    public func path(_ key: Key, _ size: Size) -> String { folder + "/" + size.rawValue + "/" + key.name }

    /// Returns an open descriptor of the photo's thumbnail, which the caller closes, or nil where there is none that is
    /// current. Takes the larger size where the wanted one is missing.
    public func open(_ key: Key, _ size: Size) -> Int32? {
        let sizes: [Size] = size == .large ? [.large, .extraLarge] : [.extraLarge]
        for size in sizes {
            if let file = openChecked(path(key, size), key) { return file }
        }
        return nil
    }

    /// Returns whether a program of this version found that the photo cannot be decoded.
    public func hasFailure(_ key: Key) -> Bool {
        guard let file = openChecked(folder + "/" + Self.failures + "/" + key.name, key) else { return false }
        close(file)
        return true
    }

    /// Stores a PNG as the photo's thumbnail, under another name first. Photos in the cache itself get none.
    ///
    /// - Returns: Whether it was stored.
    @discardableResult
    public func store(_ png: [UInt8], _ key: Key, _ size: Size) -> Bool {
        write(png, key, size.rawValue)
    }

    /// Notes that the photo cannot be decoded, so that it is not tried again before it changes.
    ///
    /// - Returns: Whether it was noted.
    @discardableResult
    public func storeFailure(_ key: Key) -> Bool { write(PNGText.onePixel, key, Self.failures) }

    private func openChecked(_ path: String, _ key: Key) -> Int32? {
        let file = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        guard let bytes = DescriptorBytes(file), let texts = PNGText.read(bytes), texts["Thumb::URI"] == key.uri,
            let modified = texts["Thumb::MTime"], Self.seconds(modified) == key.modified
        else {
            close(file)
            return nil
        }
        return file
    }

    /// Some programs write fractions of seconds.
    private static func seconds(_ text: String) -> Int64? { Int64(text.prefix { $0 != "." }) }

    private func write(_ png: [UInt8], _ key: Key, _ subfolder: String) -> Bool {
        let texts = [
            (key: "Thumb::URI", text: key.uri), (key: "Thumb::MTime", text: String(key.modified)),
            (key: "Software", text: "Sift"),
        ]
        guard !key.uri.hasPrefix(FileURI.uri(ofPath: Array(folder.utf8)) + "/"),
            let bytes = PNGText.adding(texts, to: png), makeFolder(subfolder)
        else { return false }
        let target = folder + "/" + subfolder + "/" + key.name
        // The name is ours alone: two threads and two programs may write one thumbnail at once.
        let temporary = target + ".\(UUID().uuidString).tmp"
        let file = Foundation.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        let isWritten = Self.writeAll(bytes, file)
        close(file)
        guard isWritten, rename(temporary, target) == 0 else {
            unlink(temporary)
            return false
        }
        return true
    }

    private func makeFolder(_ subfolder: String) -> Bool {
        var path = folder
        for part in [""] + subfolder.split(separator: "/").map({ "/" + $0 }) {
            path += part
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                // The cache's own parent may be missing on a new account.
                guard errno == ENOENT, part.isEmpty, makeParents() else { return false }
                continue
            }
        }
        return true
    }

    private func makeParents() -> Bool {
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/" + part
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { return false }
        }
        return true
    }

    private static func writeAll(_ bytes: [UInt8], _ file: Int32) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Foundation.write(file, buffer.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }
}
