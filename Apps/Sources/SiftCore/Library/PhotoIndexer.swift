import Foundation
import GRDB
public import Hablare
public import HablarePersistence
public import Logging

/// Reads what photos' files say about themselves, in the background: headers first, then hashes and sharpness.
///
/// Pauses while a person is active, so that it hardly slows down what the person waits for. Writes the results of several
/// photos in one transaction. Hashes and sharpness are requests of the engine: of low priority, on disk before they
/// begin, and computed once for a version of a photo, also if the program is ended before the result is in the store.
public struct PhotoIndexer: Sendable {
    /// The number of photos that are read from the store at once.
    private static let page = 512
    /// The number of headers that are written at once.
    private static let headersAtOnce = 32

    private let database: AppDatabase
    private let imaging: any PhotoImaging
    private let opening: any PhotoOpening
    private let engine: AIRequestManager
    private let activity: PersonActivity
    private let logger: Logger
    private let photos = PhotoStore()

    /// The value that was found out about a photo, or why there is none.
    private typealias Finding<Value> = (photo: Photo, result: Result<Value, PhotoProcessingError>)

    /// Creates an indexer.
    ///
    /// - Parameters:
    ///   - database: Sift's database.
    ///   - imaging: The decoder.
    ///   - opening: Finds and opens the files.
    ///   - engine: The engine with a ``PhotoAnalyst``. Run its service before the indexer, and end it later.
    ///   - activity: The person's activity, during which the indexer pauses. Default: there is none.
    ///   - logger: The logger. Default: `sift.index`.
    public init(
        database: AppDatabase, imaging: any PhotoImaging, opening: any PhotoOpening, engine: AIRequestManager,
        activity: PersonActivity = PersonActivity(), logger: Logger = Logger(label: "sift.index")
    ) {
        self.database = database
        self.imaging = imaging
        self.opening = opening
        self.engine = engine
        self.activity = activity
        self.logger = logger
    }

    /// Reads the headers of all photos of a library that lack them.
    ///
    /// - Returns: The number of headers that were read.
    /// - Throws: Errors of the database. `CancellationError`; what was written stays.
    @discardableResult
    public func readHeaders(of library: LibraryID) async throws -> Int {
        try await index(
            batch: Self.headersAtOnce, atOnce: 1,
            next: { try photos.photosWithoutHeader(of: library, after: $0, limit: Self.page, in: $1) },
            headers
        ) { [photos] header, photo, db in
            guard let header else { return }
            try photos.save(header, of: photo.id, version: photo.version, in: db)
        }
    }

    /// Computes the hashes, the sharpness and the content digests of all photos of a library that lack them.
    ///
    /// - Returns: The number of photos whose values are new in the store.
    /// - Throws: Errors of the database and of the engine's store. `CancellationError`; what was computed stays, and the
    ///   requests that are under way are cancelled.
    @discardableResult
    public func computeFeatures(of library: LibraryID) async throws -> Int {
        try await index(
            batch: PhotoAnalyst.photosOfRequest, atOnce: PhotoAnalyst.callsAtOnce,
            next: { try photos.photosWithoutFeatures(of: library, after: $0, limit: Self.page, in: $1) },
            analyses
        ) { [photos] analysis, photo, db in
            guard let features = analysis.features, let digest = analysis.digest else { return }
            try photos.save(features, of: photo.id, version: photo.version, in: db)
            try photos.saveDigest(digest, of: photo.id, version: photo.version, in: db)
        }
    }

    /// Reads the headers of photos. Nil for a photo whose header is known already.
    private func headers(of batch: [Photo]) async throws -> [Finding<PhotoHeader?>] {
        var findings: [Finding<PhotoHeader?>] = []
        for photo in batch {
            try Task.checkCancellation()
            do {
                let (file, known) = try await opening.open(photo.id, expecting: photo.version)
                let header: PhotoHeader? = if known == nil { try await imaging.header(of: file) } else { nil }
                findings.append((photo, .success(header)))
            } catch let error as PhotoProcessingError {
                findings.append((photo, .failure(error)))
            } catch let error as SystemFailure {
                findings.append((photo, .failure(error.forPerson)))
            }
        }
        return findings
    }

    /// Returns what the engine finds out about photos, or has found out before.
    private func analyses(of batch: [Photo]) async throws -> [Finding<PhotoAnalysis>] {
        let id = try await engine.submit(PhotoAnalyst.request(for: batch), to: PhotoAnalyst.providerID)
        do {
            let text = try await engine.execute(requestID: id).text()
            let analyses = try JSONDecoder().decode([PhotoAnalysis].self, from: Data(text.utf8))
            return zip(batch, analyses).map { photo, analysis in
                if let failure = analysis.failure { return (photo, .failure(failure)) }
                guard analysis.features != nil else { return (photo, .failure(Self.passing("left out"))) }
                return (photo, .success(analysis))
            }
        } catch let error as AIServiceError where error.code == .suspended || error.code == .cancelled {
            // The engine ends before its users. The next session asks again.
            throw CancellationError()
        } catch let error as AIServiceError where error.category != .storage {
            return batch.map { ($0, .failure(Self.passing(error.code.rawValue))) }
        } catch is CancellationError {
            await cancel(id)
            throw CancellationError()
        }
    }

    private static func passing(_ cause: String) -> PhotoProcessingError {
        PhotoProcessingError(.processingFailed, isRetryable: true, cause: cause)
    }

    /// Cancels the request of a session that ends.
    private func cancel(_ request: UUID) async {
        do {
            _ = try await engine.cancelRequest(request)
        } catch {
            logger.warning("A request could not be cancelled", metadata: ["request": "\(request)"])
        }
    }

    /// Works on all photos once, in the order in which they are shown: some batches at a time.
    ///
    /// - Parameters:
    ///   - size: The number of photos of a batch, whose values are written together.
    ///   - atOnce: The number of batches at a time.
    ///   - next: Returns photos that lack the value, after a place.
    ///   - find: Finds the values of a batch.
    ///   - save: Writes a value.
    /// - Returns: The number of values that were found.
    private func index<Value: Sendable>(
        batch size: Int, atOnce: Int, next: @escaping @Sendable (PhotoStore.Position?, Database) throws -> [Photo],
        _ find: @escaping @Sendable ([Photo]) async throws -> [Finding<Value>],
        save: @escaping @Sendable (Value, Photo, Database) throws -> Void
    ) async throws -> Int {
        var done = 0
        var place: PhotoStore.Position?
        while true {
            let page = try await database.read { [place] db in try next(place, db) }
            guard let last = page.last else { return done }
            place = PhotoStore.Position(of: last)
            done += try await withThrowingTaskGroup(of: Int.self) { group in
                var (found, running) = (0, 0)
                for start in stride(from: 0, to: page.count, by: size) {
                    if running == atOnce { found += try await group.next() ?? 0 } else { running += 1 }
                    try await activity.pause()
                    let batch = Array(page[start..<min(start + size, page.count)])
                    group.addTask { try await write(find(batch), save) }
                }
                return try await group.reduce(found, +)
            }
        }
    }

    /// Writes the values that were found, and that damaged photos cannot be shown. Other failures pass, so the next scan
    /// tries their photos again.
    ///
    /// - Returns: The number of values.
    private func write<Value: Sendable>(
        _ findings: [Finding<Value>], _ save: @escaping @Sendable (Value, Photo, Database) throws -> Void
    ) async throws -> Int {
        for (photo, result) in findings {
            guard case .failure(let error) = result else { continue }
            if error.code == .cancelled { throw CancellationError() }
            logger.debug(
                "A photo could not be indexed", metadata: ["photo": "\(photo.id)", "code": "\(error.code.rawValue)"])
        }
        return try await database.write { [photos] db in
            var count = 0
            for (photo, result) in findings {
                switch result {
                case .success(let value):
                    try save(value, photo, db)
                    count += 1
                case .failure(let error) where error.isFinal:
                    try photos.save(error, of: photo.id, version: photo.version, in: db)
                case .failure: break
                }
            }
            return count
        }
    }
}
