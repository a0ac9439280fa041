import GRDB
public import Hablare
public import HablarePersistence
import Synchronization

/// Finds and opens the file of a photo for the loader.
public protocol PhotoOpening: Sendable {
    /// Opens the picture of a photo, and returns its header if it is known.
    ///
    /// - Throws: ``PhotoProcessingError``: `photoGone`, `photoChanged` if the picture has another version,
    ///   `permissionMissing`, `needsNetwork`; `notAnswering` if the volume takes too long.
    func open(_ id: PhotoID, expecting version: PhotoVersion) async throws -> (file: OpenPhoto, header: PhotoHeader?)

    /// Keeps a header that was read, so that it need not be read again.
    func keep(_ header: PhotoHeader, of id: PhotoID, version: PhotoVersion) async throws

    /// Notes that a photo's file is damaged, so that the page can say so before the picture is loaded again.
    func noteDamage(of id: PhotoID, version: PhotoVersion) async throws
}

/// Opens photos at the places that the store knows.
public final class StoredPhotoOpening: PhotoOpening {
    private let database: AppDatabase
    private let clock: EngineClock
    private let photos = PhotoStore()
    private let folders = Mutex<[LibraryID: LibraryFolder]>([:])

    /// Creates an opener.
    ///
    /// - Parameters:
    ///   - database: Sift's database.
    ///   - seams: The clock that bounds the wait for a volume: 10 s. Default: that of the system.
    public init(_ database: AppDatabase, seams: EngineSeams = EngineSeams()) {
        self.database = database
        clock = seams.clock
    }

    /// Opens the picture of a photo.
    public func open(
        _ id: PhotoID, expecting version: PhotoVersion
    ) async throws -> (file: OpenPhoto, header: PhotoHeader?) {
        let (photo, library) = try await database.read { [photos] db in
            let photo = try photos.photo(id, in: db)
            return (photo, try photo.flatMap { try photos.library($0.library, in: db) })
        }
        guard let photo, let library, photo.state == .present else { throw PhotoProcessingError(.photoGone) }
        guard photo.version.isSameFile(as: version) else { throw PhotoProcessingError(.photoChanged) }
        return try await BlockingWork.reading(clock: clock) { [self] in
            (try file(of: photo, in: library, version), photo.header)
        }
    }

    private func file(of photo: Photo, in library: Library, _ version: PhotoVersion) throws -> OpenPhoto {
        if let folder = folders.withLock({ $0[library.id] }) {
            do {
                return try folder.open(photo.principal.path, id: photo.id, expecting: version)
            } catch {
                guard error.code == .photoGone || error.code == .needsNetwork else { throw error }
                // The folder may have been mounted again: open it again.
                folders.withLock { $0[library.id] = nil }
            }
        }
        let folder = try LibraryFolder.open(library)
        let file = try folder.open(photo.principal.path, id: photo.id, expecting: version)
        folders.withLock { $0[library.id] = folder }
        return file
    }

    /// Writes a header into the store.
    public func keep(_ header: PhotoHeader, of id: PhotoID, version: PhotoVersion) async throws {
        try await database.write { [photos] db in try photos.save(header, of: id, version: version, in: db) }
    }

    /// Writes into the store that a photo is damaged.
    public func noteDamage(of id: PhotoID, version: PhotoVersion) async throws {
        try await database.write { [photos] db in try photos.saveDamage(of: id, version: version, in: db) }
    }
}
