import Crypto
public import Foundation
import Hablare
import HablareFileErrors
import HablareFiles
import HablareSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A blob cache in a folder, for a `CoalescingLoader`. It has one file for each key.
///
/// Several processes may use the same folder at the same time. A file is written under a temporary name, and renamed
/// when it is complete. Readers therefore find a complete file or no file. A damaged file counts as absent and is
/// removed. If the files are too large together, the least recently used files are removed. The modification date of a
/// file shows when it was last used.
///
/// A file contains its key and its blob. The file is not encrypted. Only the user who owns the file can read it.
public final class FileBlobCache: BlobCache {
    private struct State: Sendable {
        /// The approximate size of all files in bytes, or `nil` if they have not been counted yet.
        var bytes: Int?
        /// The number of bytes written since the files were last counted.
        var written = 0
        var isTrimming = false
        /// Whether the files are larger than the limit because some of them cannot be removed. If so, another try to
        /// remove them is not made soon.
        var isStuck = false
    }

    private let directory: URL
    private let limits: Limits
    private let date: @Sendable () -> Date
    private let calls: DurableCalls
    /// A closure that removes a file if it exists.
    private let discard: @Sendable (_ path: String) throws(FileFailure) -> Void
    private let state = Locked(State())

    /// Opens a cache. Creates the folder if it does not exist.
    ///
    /// - Parameters:
    ///   - directory: The cache's folder. Use this folder for nothing else. A good place for it is the system's folder
    ///     for caches.
    ///   - limits: The limits of size and age.
    ///   - syncs: Whether ``store(_:for:)`` returns only when the blob is on the disk. With `false`, the default, a
    ///     crash of the machine may lose the blobs that were stored last. Older blobs are not lost.
    ///   - date: A closure that returns the current date. Default: the system's clock.
    /// - Throws: `AIServiceError` with code `invalidConfiguration` for invalid limits. An error of the category
    ///   `storage` if the folder cannot be created.
    public convenience init(
        directory: URL, limits: Limits = Limits(), syncs: Bool = false,
        date: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        try self.init(directory: directory, limits: limits, date: date, calls: syncs ? .system : .unsynced)
    }

    /// Creates a cache.
    ///
    /// - Parameter discard: A closure that removes a file if it exists.
    init(
        directory: URL, limits: Limits, date: @escaping @Sendable () -> Date, calls: DurableCalls,
        discard: @escaping @Sendable (_ path: String) throws(FileFailure) -> Void = FileSystem.remove
    ) throws {
        try limits.check()
        self.directory = directory
        self.limits = limits
        self.date = date
        self.calls = calls
        self.discard = discard
        try translatingFileFailures { try calls.makeFolders(directory.path) }
    }

    // MARK: Blobs

    /// Returns the bytes stored for a key. See ``BlobCache/blob(for:)``.
    ///
    /// - Throws: `AIServiceError` with code `storageFailed` if the file exists and cannot be read.
    public func blob(for key: String) throws -> Data? {
        let path = path(of: key)
        return try translatingFileFailures {
            // This cache stores no file above the limit. A larger one is not loaded into memory.
            guard let data = try FileSystem.read(path, atMost: limits.maximumBytes) else { return nil }
            let now = date()
            guard let entry = FileBlobCacheEntry(data), !isExpired(entry.stored, at: now) else {
                // Another process may have replaced it with a valid one meanwhile. That one is then lost and loaded
                // again.
                try discard(path)
                return nil
            }
            // The file belongs to another key with the same digest.
            guard entry.key == key else { return nil }
            FileSystem.setModified(path, to: now)
            return entry.blob
        }
    }

    /// Stores bytes for a key. See ``BlobCache/store(_:for:)``.
    ///
    /// - Throws: `AIServiceError` with code `storageFull`, `storageReadOnly` or `storageFailed`. After an error, no
    ///   incomplete file remains.
    public func store(_ blob: Data, for key: String) throws {
        let path = path(of: key)
        let now = date()
        let data = FileBlobCacheEntry(key: key, stored: now, blob: blob).encoded
        try translatingFileFailures {
            guard data.count <= limits.maximumBytes else { return try discard(path) }
            do throws(FileFailure) {
                try write(data, to: path)
            } catch {
                // Systems clear caches folders while programs run, and another process may remove everything.
                guard error.number == ENOENT else { throw error }
                try calls.makeFolders(directory.path)
                try write(data, to: path)
            }
            FileSystem.setModified(path, to: now)
            try wrote(data.count)
        }
    }

    /// Removes the bytes stored for a key. See ``BlobCache/remove(_:)``.
    ///
    /// - Throws: `AIServiceError` with code `storageReadOnly` or `storageFailed`.
    public func remove(_ key: String) throws {
        try translatingFileFailures { try discard(path(of: key)) }
    }

    /// Removes all entries. See ``BlobCache/removeAll()``. Also removes files that are being written. If a process is
    /// writing such a file, it writes the file again. Files that do not belong to the cache stay.
    ///
    /// - Throws: `AIServiceError` with code `storageReadOnly` or `storageFailed`. The method first removes as many
    ///   files as possible.
    public func removeAll() throws {
        try translatingFileFailures {
            var failure: FileFailure?
            for path in try FileSystem.contents(of: directory.path) where Ending(of: path) != nil {
                do throws(FileFailure) {
                    try discard(path)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }
        state.withLock { $0 = State(bytes: 0, isTrimming: $0.isTrimming) }
    }

    // MARK: Bounds

    /// Removes blobs that are too old. If the other files are larger than the limit, removes the least recently used
    /// blobs. You need not call this method. The cache calls it when the first blob is stored, when the limit is
    /// exceeded, and after an eighth of the limit has been written.
    ///
    /// - Throws: `AIServiceError` with code `storageReadOnly` or `storageFailed` if a file could not be examined or
    ///   removed. In place of this file, the method may have removed other files.
    public func trim() throws {
        let mayTrim = state.withLock { state in
            defer { state.isTrimming = true }
            return !state.isTrimming
        }
        // Another thread is trimming.
        guard mayTrim else { return }
        defer { state.withLock { $0.isTrimming = false } }
        state.withLock { $0.written = 0 }
        let (bytes, failure) = try translatingFileFailures { try trimmed(at: date()) }
        state.withLock { state in
            state.bytes = bytes + state.written
            state.isStuck = failure != nil && bytes > target
        }
        if let failure { throw AIServiceError(failure) }
    }

    /// The size in bytes to which trimming reduces the files. It is less than the limit, so that storing the next blob
    /// does not require another count of all files.
    private var target: Int { limits.maximumBytes - limits.maximumBytes / 8 }

    private func wrote(_ count: Int) throws {
        let isFull = state.withLock { state in
            state.written += count
            guard let bytes = state.bytes else { return true }
            state.bytes = bytes + count
            // Other processes write too, so the files are counted again now and then.
            let isTooMuch = bytes + count > limits.maximumBytes && !state.isStuck
            return isTooMuch || state.written > limits.maximumBytes / 8
        }
        if isFull { try trim() }
    }

    /// Removes the files that ``trim()`` must remove. Returns the number of bytes that remain, and the last failure to
    /// examine or remove a file.
    private func trimmed(at now: Date) throws(FileFailure) -> (bytes: Int, failure: FileFailure?) {
        var kept: [(path: String, size: Int, used: Date)] = []
        // The bytes of files that could not be removed. They count against the limit.
        var stuck = 0
        var failure: FileFailure?
        func discard(_ path: String, of size: Int) {
            do throws(FileFailure) {
                try self.discard(path)
            } catch {
                stuck += size
                failure = error
            }
        }
        for path in try FileSystem.contents(of: directory.path) {
            guard let ending = Ending(of: path) else { continue }
            let status: FileSystem.Status
            do throws(FileFailure) {
                guard let found = try FileSystem.status(of: path, followingLinks: false), found.kind == .file else {
                    continue
                }
                status = found
            } catch {
                failure = error
                continue
            }
            switch ending {
            // A file's last use is never before its storing.
            case .blob where !isExpired(status.modified, at: now): kept.append((path, status.size, status.modified))
            case .blob: discard(path, of: status.size)
            // The process that wrote it has died.
            case .unfinished where abs(now.timeIntervalSince(status.modified)) > Self.longestWrite:
                discard(path, of: status.size)
            case .unfinished: break
            }
        }
        var bytes = kept.reduce(0) { $0 + $1.size }
        if bytes + stuck > limits.maximumBytes {
            kept.sort { ($0.used, $0.path) < ($1.used, $1.path) }
            for entry in kept where bytes + stuck > target {
                discard(entry.path, of: entry.size)
                bytes -= entry.size
            }
        }
        return (bytes + stuck, failure)
    }

    /// Returns whether a blob with this date is too old. A clock may be set back. Therefore a date in the future has
    /// the same limit as a date in the past.
    private func isExpired(_ date: Date, at now: Date) -> Bool {
        abs(now.timeIntervalSince(date)) >= limits.maximumAge
    }

    // MARK: Files

    /// The file name extensions of the cache's files.
    private enum Ending: String {
        case blob, unfinished

        init?(of path: String) {
            self.init(rawValue: URL(fileURLWithPath: path).pathExtension)
        }
    }

    /// The time after which an unfinished file is removed, in seconds: one hour.
    private static let longestWrite: TimeInterval = 3600

    private func write(_ data: Data, to path: String) throws(FileFailure) {
        let file = try ReplacingFile(path, suffix: ".\(Ending.unfinished.rawValue)", calls: calls)
        try file.write(data)
        try file.commit()
    }

    /// Returns the path of a key's file.
    func path(of key: String) -> String {
        let name = Data(SHA256.hash(data: Data(key.utf8))).hexadecimal
        return directory.appendingPathComponent("\(name).\(Ending.blob.rawValue)").path
    }
}
