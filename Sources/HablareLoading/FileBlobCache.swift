import Crypto
public import Foundation
import Hablare
import HablareFileErrors
import HablareFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A cache of blobs in a folder: one file for each key, for a `CoalescingLoader`.
///
/// Several processes may use one folder at once. A file is written under a temporary name and then renamed, so it is
/// whole or not there; a damaged one is nothing, and removed. What was not used for longest goes first, which is what the
/// files' dates of modification say.
///
/// A file names its key as it is, and holds the blob as it is, readable for its owner alone.
public final class FileBlobCache: BlobCache {
    private struct State: Sendable {
        /// What the files take together, about; `nil` when they were not counted yet.
        var bytes: Int?
        /// How much was written since they were counted.
        var written = 0
        var isTrimming = false
        /// Whether files that could not be removed keep room from being made: looking again soon would not help.
        var isStuck = false
    }

    private let directory: URL
    private let limits: Limits
    private let date: @Sendable () -> Date
    private let calls: DurableCalls
    /// Removes a file, if it is there.
    private let discard: @Sendable (_ path: String) throws(FileFailure) -> Void
    private let state = Guarded(State())

    /// Opens or creates a cache.
    ///
    /// - Parameters:
    ///   - directory: Its folder, for nothing else. The system's folder for caches is the place for it.
    ///   - limits: How much it keeps, and for how long.
    ///   - syncs: Whether a blob is on the disk, and not on its way there, when ``store(_:for:)`` returns. Default `false`:
    ///     a machine that stops may lose what was stored last, and nothing else.
    ///   - date: What blobs are dated by. Default: the system's.
    /// - Throws: `AIServiceError` with code `invalidConfiguration` for limits that cannot be meant; of category `storage`
    ///   when the folder cannot be created.
    public convenience init(
        directory: URL, limits: Limits = Limits(), syncs: Bool = false,
        date: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        try self.init(directory: directory, limits: limits, date: date, calls: syncs ? .system : .unsynced)
    }

    /// - Parameter discard: Removes a file, if it is there.
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

    /// See ``BlobCache/blob(for:)``.
    ///
    /// - Throws: `AIServiceError` with code `storageFailed` when there is a file that cannot be read.
    public func blob(for key: String) throws -> Data? {
        let path = path(of: key)
        return try translatingFileFailures {
            // More than the limit was not stored by this cache, and is not wanted in memory.
            guard let data = try FileSystem.read(path, atMost: limits.maximumBytes) else { return nil }
            let now = date()
            guard let entry = FileBlobCacheEntry(data), !isExpired(entry.stored, at: now) else {
                // Another process may have put a good one in its place since: then that is lost, and loaded again.
                try discard(path)
                return nil
            }
            // Another key's, of the same digest.
            guard entry.key == key else { return nil }
            FileSystem.setModified(path, to: now)
            return entry.blob
        }
    }

    /// See ``BlobCache/store(_:for:)``.
    ///
    /// - Throws: `AIServiceError` with code `storageFull`, `storageReadOnly` or `storageFailed`. Nothing half written
    ///   stays.
    public func store(_ blob: Data, for key: String) throws {
        let path = path(of: key)
        let now = date()
        let data = FileBlobCacheEntry(key: key, stored: now, blob: blob).encoded
        try translatingFileFailures {
            guard data.count <= limits.maximumBytes else { return try discard(path) }
            do throws(FileFailure) {
                try write(data, to: path)
            } catch {
                // Systems clear folders for caches while programs run, and another process may remove everything.
                guard error.number == ENOENT else { throw error }
                try calls.makeFolders(directory.path)
                try write(data, to: path)
            }
            FileSystem.setModified(path, to: now)
            try wrote(data.count)
        }
    }

    /// See ``BlobCache/remove(_:)``.
    ///
    /// - Throws: `AIServiceError` with code `storageReadOnly` or `storageFailed`.
    public func remove(_ key: String) throws {
        try translatingFileFailures { try discard(path(of: key)) }
    }

    /// See ``BlobCache/removeAll()``. What a process left unfinished goes as well, and what one is writing, which that
    /// process then writes once more. Files of others in the folder stay.
    ///
    /// - Throws: `AIServiceError` with code `storageReadOnly` or `storageFailed`; as many as possible were removed then.
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

    /// Removes what is too old, then what was not used for longest until the rest keeps to the limits. Done by itself
    /// with the first blob that is stored, whenever there is too much, and whenever an eighth of the limit was written.
    ///
    /// - Throws: `AIServiceError` with code `storageReadOnly` or `storageFailed` when some file could not be looked at or
    ///   removed. Others went in its place then, as far as there were any.
    public func trim() throws {
        let mayTrim = state.withLock { state in
            defer { state.isTrimming = true }
            return !state.isTrimming
        }
        // Somebody else does it now.
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

    /// To how many bytes the files are brought when they are too many: some less than may be, so that the next blob does
    /// not make all of them be looked at again.
    private var target: Int { limits.maximumBytes - limits.maximumBytes / 8 }

    private func wrote(_ count: Int) throws {
        let isFull = state.withLock { state in
            state.written += count
            guard let bytes = state.bytes else { return true }
            state.bytes = bytes + count
            // Also counted anew now and then, because other processes write, too.
            let isTooMuch = bytes + count > limits.maximumBytes && !state.isStuck
            return isTooMuch || state.written > limits.maximumBytes / 8
        }
        if isFull { try trim() }
    }

    /// Removes what must go. How many bytes stay, and why some of those that had to go are among them.
    private func trimmed(at now: Date) throws(FileFailure) -> (bytes: Int, failure: FileFailure?) {
        var kept: [(path: String, size: Int, used: Date)] = []
        // What could not be removed; what it takes is not there for others.
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
            // A file is used no earlier than it was stored.
            case .blob where !isExpired(status.modified, at: now): kept.append((path, status.size, status.modified))
            case .blob: discard(path, of: status.size)
            // Its process died while it wrote.
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

    /// What is dated in the future is as old as what is dated in the past: clocks are set back.
    private func isExpired(_ date: Date, at now: Date) -> Bool {
        abs(now.timeIntervalSince(date)) >= limits.maximumAge
    }

    // MARK: Files

    /// How the names of the cache's files end.
    private enum Ending: String {
        case blob, unfinished

        init?(of path: String) {
            self.init(rawValue: URL(fileURLWithPath: path).pathExtension)
        }
    }

    /// An hour, in seconds.
    private static let longestWrite: TimeInterval = 3600

    private func write(_ data: Data, to path: String) throws(FileFailure) {
        let file = try ReplacingFile(path, suffix: ".\(Ending.unfinished.rawValue)", calls: calls)
        try file.write(data)
        try file.commit()
    }

    /// The file of a key.
    func path(of key: String) -> String {
        let name = Data(SHA256.hash(data: Data(key.utf8))).hexadecimal
        return directory.appendingPathComponent("\(name).\(Ending.blob.rawValue)").path
    }
}
