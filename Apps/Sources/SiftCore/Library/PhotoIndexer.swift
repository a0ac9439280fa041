import Foundation
import GRDB
public import Hablare
public import HablarePersistence
public import Logging

/// Reads what photos' files say about themselves, in the background: headers first, then hashes and sharpness.
///
/// Works on one photo at a time, so that it hardly slows down what a person waits for. Hashes and sharpness are requests
/// of the engine: of low priority, on disk before they begin, and computed once for a version of a photo, also if the
/// program is ended before the result is in the store.
public struct PhotoIndexer: Sendable {
    private let database: AppDatabase
    private let imaging: any PhotoImaging
    private let opening: any PhotoOpening
    private let engine: AIRequestManager
    private let pace: DecisionPace?
    private let logger: Logger
    private let photos = PhotoStore()

    /// Creates an indexer.
    ///
    /// - Parameters:
    ///   - database: Sift's database.
    ///   - imaging: The decoder.
    ///   - opening: Finds and opens the files.
    ///   - engine: The engine with a ``PhotoAnalyst``. Run its service before the indexer, and end it later.
    ///   - pace: Says when a person decides. Hashes wait for a pause then. Default: they never wait.
    ///   - logger: The logger. Default: `sift.index`.
    public init(
        database: AppDatabase, imaging: any PhotoImaging, opening: any PhotoOpening, engine: AIRequestManager,
        pace: DecisionPace? = nil, logger: Logger = Logger(label: "sift.index")
    ) {
        self.database = database
        self.imaging = imaging
        self.opening = opening
        self.engine = engine
        self.pace = pace
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
    /// - Returns: The number of photos whose values are new in the store.
    /// - Throws: Errors of the database and of the engine's store. `CancellationError`; what was computed stays, and the
    ///   request that is under way is cancelled.
    @discardableResult
    public func computeFeatures(of library: LibraryID) async throws -> Int {
        try await index(library, next: { try photos.photosWithoutFeatures(of: library, limit: $0, in: $1) }) { photo in
            try await pace?.waitForPause()
            let analysis = try await analysis(of: photo)
            if let failure = analysis.failure { throw failure }
            guard let features = analysis.features, let digest = analysis.digest else {
                throw PhotoProcessingError(.processingFailed, isRetryable: true, cause: "an answer without features")
            }
            try await database.write { [photos] db in
                try photos.save(features, of: photo.id, version: photo.version, in: db)
                try photos.saveDigest(digest, of: photo.id, version: photo.version, in: db)
            }
        }
    }

    /// Returns what the engine finds out about a photo, or has found out before.
    private func analysis(of photo: Photo) async throws -> PhotoAnalysis {
        let id = try await engine.submit(PhotoAnalyst.request(for: photo), to: PhotoAnalyst.providerID)
        do {
            let text = try await engine.execute(requestID: id).text()
            return try JSONDecoder().decode(PhotoAnalysis.self, from: Data(text.utf8))
        } catch let error as AIServiceError where error.code == .suspended || error.code == .cancelled {
            // The engine ends before its users. The next session asks again.
            throw CancellationError()
        } catch let error as AIServiceError where error.category != .storage {
            throw PhotoProcessingError(.processingFailed, isRetryable: true, cause: error.code.rawValue)
        } catch is CancellationError {
            await cancel(id)
            throw CancellationError()
        }
    }

    /// Cancels the request of a session that ends.
    private func cancel(_ request: UUID) async {
        do {
            _ = try await engine.cancelRequest(request)
        } catch {
            logger.warning("A request could not be cancelled", metadata: ["request": "\(request)"])
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
        guard error.isFinal else { return }
        try await database.write { [photos] db in
            try photos.save(error, of: photo.id, version: photo.version, in: db)
        }
    }
}
