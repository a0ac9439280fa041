import GRDB
public import HablarePersistence
public import Logging

/// Reads what photos' files say about themselves, in the background: headers first, then hashes and sharpness.
///
/// Works on one photo at a time, so that it hardly slows down what a person waits for.
public struct PhotoIndexer: Sendable {
    private let database: AppDatabase
    private let imaging: any PhotoImaging
    private let opening: any PhotoOpening
    private let logger: Logger
    private let photos = PhotoStore()

    /// Creates an indexer.
    ///
    /// - Parameters:
    ///   - database: Sift's database.
    ///   - imaging: The decoder.
    ///   - opening: Finds and opens the files.
    ///   - logger: The logger. Default: `sift.index`.
    public init(
        database: AppDatabase, imaging: any PhotoImaging, opening: any PhotoOpening,
        logger: Logger = Logger(label: "sift.index")
    ) {
        self.database = database
        self.imaging = imaging
        self.opening = opening
        self.logger = logger
    }

    /// Reads the headers of all photos of a library that lack them.
    ///
    /// - Returns: The number of headers that were read.
    /// - Throws: Errors of the database. `CancellationError`; what was read stays.
    @discardableResult
    public func readHeaders(of library: LibraryID) async throws -> Int {
        try await index(library, next: { try photos.photosWithoutHeader(of: library, limit: $0, in: $1) }) { photo in
            let (file, known) = try await opening.open(photo.id, expecting: photo.version)
            guard known == nil else { return }
            let header = try await imaging.header(of: file)
            try await opening.keep(header, of: photo.id, version: photo.version)
        }
    }

    /// Computes the hashes, the sharpness and the content digests of all photos of a library that lack them.
    ///
    /// - Returns: The number of photos that were decoded.
    /// - Throws: Errors of the database. `CancellationError`; what was computed stays.
    @discardableResult
    public func computeFeatures(of library: LibraryID) async throws -> Int {
        try await index(library, next: { try photos.photosWithoutFeatures(of: library, limit: $0, in: $1) }) { photo in
            let (file, _) = try await opening.open(photo.id, expecting: photo.version)
            let features = try await imaging.features(of: file)
            let digest = try await BlockingWork.run { try ContentDigest.digest(of: file) }
            try await database.write { [photos] db in
                try photos.save(features, of: photo.id, version: photo.version, in: db)
                try photos.saveDigest(digest, of: photo.id, version: photo.version, in: db)
            }
        }
    }

    /// Runs work for photos until none is left, or all that are left fail for now.
    private func index(
        _ library: LibraryID, next: @escaping @Sendable (_ limit: Int, Database) throws -> [Photo],
        _ work: (Photo) async throws -> Void
    ) async throws -> Int {
        var done = 0
        var postponed: Set<PhotoID> = []
        while true {
            let limit = 50 + postponed.count
            let batch = try await database.read { try next(limit, $0) }.filter { !postponed.contains($0.id) }
            guard !batch.isEmpty else { return done }
            for photo in batch {
                try Task.checkCancellation()
                postponed.insert(photo.id)
                do {
                    try await work(photo)
                    done += 1
                } catch let error as PhotoProcessingError {
                    if error.code == .cancelled { throw CancellationError() }
                    try await wasFailed(photo, error)
                } catch let error as SystemFailure {
                    try await wasFailed(photo, error.forPerson)
                }
            }
        }
    }

    /// Records that a damaged photo cannot be shown. Other failures pass, so the next scan tries the photo again.
    private func wasFailed(_ photo: Photo, _ error: PhotoProcessingError) async throws {
        logger.debug(
            "A photo could not be indexed", metadata: ["photo": "\(photo.id)", "code": "\(error.code.rawValue)"])
        guard error.code == .processingFailed, !error.isRetryable else { return }
        try await database.write { [photos] db in
            try photos.save(error, of: photo.id, version: photo.version, in: db)
        }
    }
}
