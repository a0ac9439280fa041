import Foundation
import GRDB
public import Hablare
public import HablarePersistence

/// Scans a library into the store, in batches, so that the first photos can be shown while the scan runs.
public struct LibraryScanner: Sendable {
    /// How far a scan is.
    public struct Progress: Sendable, Hashable {
        /// The folders that were read.
        public var folders = 0
        /// The shots that were added.
        public var added = 0
        /// The shots that changed or moved.
        public var changed = 0
        /// The shots whose files are gone.
        public var lost = 0
        /// The folders that could not be read.
        public var unreadable: [RelativeFolder] = []
        /// Whether the scan is complete.
        public var isComplete = false
    }

    /// The number of edits in the first transaction, so that the first card comes early. Later ones are larger.
    static let firstBatch = 32
    /// The number of edits in the later transactions.
    static let batch = 1000
    /// How deep folders may lie in each other.
    static let deepest = 64

    private let database: AppDatabase
    private let photos = PhotoStore()
    private let date: @Sendable () -> Date
    private let clock: EngineClock

    /// Creates a scanner.
    public init(database: AppDatabase, seams: EngineSeams = EngineSeams()) {
        self.database = database
        date = seams.date
        clock = seams.clock
    }

    /// Scans a library. Calls for one library must not overlap.
    ///
    /// - Parameters:
    ///   - library: The library.
    ///   - progress: Called after each batch is on disk.
    ///   - visited: Called with each folder before it is read, so that a watch can begin there.
    /// - Returns: The numbers of folders and shots that were found.
    /// - Throws: ``PhotoProcessingError`` if the folder cannot be opened, or with code `needsNetwork` if it is empty
    ///   and on another device than before, as the mount point of a missing volume is, or with code `notAnswering` if its
    ///   volume takes too long. `CancellationError`; what was written stays.
    @discardableResult
    public func scan(
        _ library: Library, progress: @escaping @Sendable (Progress) async -> Void = { _ in },
        visited: @escaping @Sendable (RelativeFolder) -> Void = { _ in }
    ) async throws -> Progress {
        let folder = try await BlockingWork.reading(clock: clock) { try LibraryFolder.open(library.path) }
        var machine = ScanMachine(known: try await database.read { try photos.knownShots(of: library.id, in: $0) })
        var report = Progress()
        var edits: [ScanEdit] = []
        var limit = Self.firstBatch
        var rest: [RelativeFolder] = [.root]
        while let next = rest.popLast() {
            try Task.checkCancellation()
            do {
                let items = try await BlockingWork.reading(clock: clock) {
                    visited(next)
                    return try folder.items(in: next)
                }
                if next == .root, items.isEmpty, folder.device != library.device, library.scannedAt != nil {
                    throw PhotoProcessingError(.needsNetwork, cause: "Empty, and on another device.")
                }
                edits += machine.listed(next, items)
                report.folders += 1
                guard next.names.count < Self.deepest else { continue }
                // The first folder by name is read next.
                rest += items.filter { $0.version == nil }.map { next.appending($0.name) }.reversed()
            } catch let error as PhotoProcessingError {
                if next == .root { throw error }
                machine.failed(next)
                report.unreadable.append(next)
            }
            while edits.count >= limit {
                try await write(Array(edits.prefix(limit)), of: library, &report)
                edits.removeFirst(limit)
                limit = Self.batch
                await progress(report)
            }
        }
        var digests: [RelativePath: [UInt8]] = [:]
        for file in machine.pathsToDigest {
            try Task.checkCancellation()
            digests[file.path] = await digest(of: file, in: folder)
        }
        edits += machine.ended(digests: digests)
        while !edits.isEmpty {
            try Task.checkCancellation()
            try await write(Array(edits.prefix(Self.batch)), of: library, &report)
            edits.removeFirst(min(Self.batch, edits.count))
            await progress(report)
        }
        let now = date()
        try await database.write { [photos] db in
            try photos.markScanned(library.id, device: folder.device, at: now, in: db)
        }
        report.isComplete = true
        await progress(report)
        return report
    }

    private func write(_ edits: [ScanEdit], of library: Library, _ report: inout Progress) async throws {
        try await database.write { [photos] db in try photos.apply(edits, to: library.id, in: db) }
        for edit in edits {
            switch edit {
            case .insert: report.added += 1
            case .update, .move: report.changed += 1
            case .lose: report.lost += 1
            }
        }
    }

    /// Returns the digest of a file, or nil if it cannot be read, which counts as different.
    private func digest(of file: PhotoFile, in folder: LibraryFolder) async -> [UInt8]? {
        do {
            return try await BlockingWork.reading(clock: clock) {
                let photo = try folder.open(file.path, id: PhotoID(rawValue: 0), expecting: file.version)
                return try ContentDigest.digest(of: photo)
            }
        } catch {
            return nil
        }
    }
}
