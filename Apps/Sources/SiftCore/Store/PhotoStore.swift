public import Foundation
public import GRDB
import HablarePersistence

/// Reads and writes libraries and photos. Every method runs inside a transaction of the caller.
public struct PhotoStore: Sendable {
    /// Creates a store.
    public init() {}

    // MARK: Libraries

    /// Adds a library, or returns the one that has this path.
    public func addLibrary(_ folder: LibraryFolder, at date: Date, in db: Database) throws -> Library {
        let path = Data(folder.path)
        try db.execute(
            sql: "INSERT INTO library (path, device, addedAt) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            arguments: [path, Int64(bitPattern: folder.device), date])
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM library WHERE path = ?", arguments: [path]) else {
            throw DatabaseError(resultCode: .SQLITE_NOTFOUND)
        }
        return Self.library(row)
    }

    /// Returns all libraries in the order in which they were added.
    public func libraries(in db: Database) throws -> [Library] {
        try Row.fetchAll(db, sql: "SELECT * FROM library ORDER BY id").map(Self.library)
    }

    /// Returns a library, or nil if there is none of this number.
    public func library(_ id: LibraryID, in db: Database) throws -> Library? {
        try Row.fetchOne(db, sql: "SELECT * FROM library WHERE id = ?", arguments: [id.rawValue]).map(Self.library)
    }

    /// Sets whether decisions of a library are also written to XMP sidecars.
    public func setWritesSidecars(_ writes: Bool, of id: LibraryID, in db: Database) throws {
        try db.execute(
            sql: "UPDATE library SET writesSidecars = ? WHERE id = ?", arguments: [writes, id.rawValue])
    }

    private static func library(_ row: Row) -> Library {
        let path: Data = row["path"]
        let device: Int64 = row["device"]
        return Library(
            id: LibraryID(rawValue: row["id"]), path: Array(path), device: UInt64(bitPattern: device),
            writesSidecars: row["writesSidecars"], scannedAt: row["scannedAt"])
    }

    // MARK: Results of decoding

    /// Records a photo's header, if the photo still has the version that was read.
    public func save(_ header: PhotoHeader, of id: PhotoID, version: PhotoVersion, in db: Database) throws {
        let text = String(decoding: try JSONEncoder().encode(header), as: UTF8.self)
        try update(
            "header = ?, failure = NULL, time = COALESCE(?, time)", [text, header.captured?.localSeconds], id, version,
            in: db)
    }

    /// Records a photo's hashes and sharpness, if the photo still has the version that was read.
    public func save(_ features: PhotoFeatures, of id: PhotoID, version: PhotoVersion, in db: Database) throws {
        try update(
            "hash64 = ?, hash256 = ?, sharpness = ?, isDamaged = ?",
            [
                Int64(bitPattern: features.hash64.bits), features.hash256.description, features.sharpness,
                features.isDamaged,
            ], id, version, in: db)
    }

    /// Records that a photo's picture shows only what is left of it, if the photo still has the version that was read.
    public func saveDamage(of id: PhotoID, version: PhotoVersion, in db: Database) throws {
        try update("isDamaged = 1", [], id, version, in: db)
    }

    /// Records why a photo cannot be shown, if the photo still has the version that was read.
    public func save(_ failure: PhotoProcessingError, of id: PhotoID, version: PhotoVersion, in db: Database) throws {
        let text = String(decoding: try JSONEncoder().encode(failure), as: UTF8.self)
        try update("failure = ?", [text], id, version, in: db)
    }

    /// Records the digest of a photo's content, if the photo still has the version that was read.
    public func saveDigest(_ digest: [UInt8], of id: PhotoID, version: PhotoVersion, in db: Database) throws {
        try db.execute(
            sql: """
                UPDATE file SET digest = ?
                WHERE shot = ? AND position = 0 AND inode = ? AND size = ? AND modified = ?
                """,
            arguments: [
                Data(digest), id.rawValue, Int64(bitPattern: version.inode), version.size, version.modified,
            ])
    }

    private func update(
        _ assignment: String, _ values: [(any DatabaseValueConvertible)?], _ id: PhotoID, _ version: PhotoVersion,
        in db: Database
    ) throws {
        let identity: [(any DatabaseValueConvertible)?] = [
            id.rawValue, Int64(bitPattern: version.inode), version.size, version.modified,
        ]
        try db.execute(
            sql: """
                UPDATE shot SET \(assignment) WHERE id = ? AND EXISTS (SELECT 1 FROM file
                WHERE file.shot = shot.id AND position = 0 AND inode = ? AND size = ? AND modified = ?)
                """, arguments: StatementArguments(values + identity))
    }

    // MARK: Photos

    /// Returns a photo, or nil if there is none of this number.
    public func photo(_ id: PhotoID, in db: Database) throws -> Photo? {
        try photos(where: "shot.id = ?", [id.rawValue], limit: 1, in: db).first
    }

    /// Returns the library of a photo, or nil if there is none of this number.
    public func library(of photo: PhotoID, in db: Database) throws -> LibraryID? {
        try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT library FROM shot WHERE id = ?"), arguments: [photo.rawValue]
        ).map(LibraryID.init(rawValue:))
    }

    /// Which photos a list has.
    public indirect enum Filter: Sendable, Hashable, Codable {
        /// Photos that are not settled yet.
        case undecided
        /// All photos in the library.
        case all
        /// Favourites.
        case favourites
        /// Photos that were kept.
        case kept
        /// Photos in the trash.
        case trashed
        /// Photos with at least this many stars, in the library or in the trash.
        case rated(Int)
        /// Photos with this label, in the library or in the trash.
        case labelled(String)
        /// Photos of this camera, in the library or in the trash.
        case camera(String)
        /// Photos that were taken at or after the first time and before the second one, in seconds since 1970 of the
        /// camera's clock. A missing time is no bound.
        case taken(from: Double?, before: Double?)
        /// Photos whose picture cannot be shown.
        case damaged
        /// The photos with these numbers, in the library or in the trash.
        case among([PhotoID])
        /// Photos that all of these filters let pass. Without filters: all photos, also missing ones.
        case every([Filter])

        fileprivate var condition: (sql: String, arguments: [any DatabaseValueConvertible]) {
            switch self {
            case .undecided: return ("shot.state = 'present' AND shot.decision IS NULL", [])
            case .all: return ("shot.state = 'present'", [])
            case .favourites: return ("shot.state = 'present' AND shot.favourite", [])
            case .kept: return ("shot.state = 'present' AND shot.decision = 'keep'", [])
            case .trashed: return ("shot.state = 'trashed'", [])
            case .rated(let stars): return ("shot.state <> 'missing' AND shot.rating >= ?", [stars])
            case .labelled(let label): return ("shot.state <> 'missing' AND shot.label = ?", [label])
            case .camera(let camera):
                return ("shot.state <> 'missing' AND json_extract(shot.header, '$.camera') = ?", [camera])
            case .taken(let from, let before):
                let bounds = [("shot.time >= ?", from), ("shot.time < ?", before)].filter { $0.1 != nil }
                return (
                    (["shot.state <> 'missing'"] + bounds.map(\.0)).joined(separator: " AND "), bounds.compactMap(\.1)
                )
            case .damaged: return ("shot.state = 'present' AND shot.failure IS NOT NULL", [])
            case .among(let photos):
                let numbers = "[" + photos.map(\.description).joined(separator: ",") + "]"
                return ("shot.state <> 'missing' AND shot.id IN (SELECT value FROM json_each(?))", [numbers])
            case .every(let filters):
                let parts = filters.map(\.condition)
                return (
                    parts.isEmpty ? "TRUE" : parts.map { "(\($0.sql))" }.joined(separator: " AND "),
                    parts.flatMap(\.arguments)
                )
            }
        }
    }

    /// The place of a photo in the order in which photos are shown.
    public struct Position: Sendable, Hashable, Codable {
        /// The photo's time.
        public let time: Double
        /// The photo's number.
        public let id: PhotoID
        /// Creates the place of a photo.
        public init(of photo: Photo) {
            time = photo.time
            id = photo.id
        }
    }

    /// Returns photos of a library in the order in which they are shown.
    ///
    /// - Parameters:
    ///   - filter: Which photos.
    ///   - position: The photo after which to begin. Default: from the first one.
    ///   - limit: How many photos at most.
    public func photos(
        of library: LibraryID, _ filter: Filter = .undecided, after position: Position? = nil, limit: Int,
        in db: Database
    ) throws -> [Photo] {
        let (condition, values) = filter.condition
        return try photos(
            where: "shot.library = ? AND \(condition)", [library.rawValue] + values, after: position, limit: limit,
            in: db)
    }

    /// Returns the number of photos of a library that a filter lets pass.
    public func count(of library: LibraryID, _ filter: Filter, in db: Database) throws -> Int {
        let (condition, values) = filter.condition
        return try Int.fetchOne(
            db, sql: "SELECT COUNT(*) FROM shot WHERE shot.library = ? AND \(condition)",
            arguments: StatementArguments([library.rawValue] + values)) ?? 0
    }

    /// Returns the ids of a library's photos that a filter lets pass.
    public func ids(of library: LibraryID, _ filter: Filter, in db: Database) throws -> Set<PhotoID> {
        let (condition, values) = filter.condition
        let ids = try Int64.fetchSet(
            db, sql: "SELECT id FROM shot WHERE shot.library = ? AND \(condition)",
            arguments: StatementArguments([library.rawValue] + values))
        return Set(ids.map { PhotoID(rawValue: $0) })
    }

    /// Returns the cameras of a library's photos, in the order of their names.
    public func cameras(of library: LibraryID, in db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT DISTINCT json_extract(header, '$.camera') AS camera FROM shot
                WHERE library = ? AND state <> 'missing' AND camera IS NOT NULL ORDER BY camera
                """, arguments: [library.rawValue])
    }

    /// Returns photos that lack their header, in the order in which they are shown.
    public func photosWithoutHeader(
        of library: LibraryID, after position: Position? = nil, limit: Int, in db: Database
    ) throws -> [Photo] {
        try photos(
            where: "shot.library = ? AND shot.state = 'present' AND shot.header IS NULL AND shot.failure IS NULL",
            [library.rawValue], after: position, limit: limit, in: db)
    }

    /// Returns photos that lack their hashes, in the order in which they are shown.
    public func photosWithoutFeatures(
        of library: LibraryID, after position: Position? = nil, limit: Int, in db: Database
    ) throws -> [Photo] {
        try photos(
            where: "shot.library = ? AND shot.state = 'present' AND shot.hash64 IS NULL AND shot.failure IS NULL",
            [library.rawValue], after: position, limit: limit, in: db)
    }

    private func photos(
        where condition: String, _ arguments: [any DatabaseValueConvertible], after position: Position? = nil,
        limit: Int, in db: Database
    ) throws -> [Photo] {
        var (condition, arguments) = (condition, arguments)
        if let position {
            condition += " AND (shot.time, shot.id) > (?, ?)"
            arguments += [position.time, position.id.rawValue]
        }
        let rows = try Row.fetchAll(
            db, cached: "SELECT shot.* FROM shot WHERE \(condition) ORDER BY shot.time, shot.id LIMIT ?",
            arguments: StatementArguments(arguments + [limit]))
        return try rows.compactMap { row in
            let id: Int64 = row["id"]
            let files = try Row.fetchAll(
                db, cached: "SELECT * FROM file WHERE shot = ? ORDER BY position", arguments: [id]
            ).compactMap(Self.file)
            return files.isEmpty ? nil : Self.photo(row, files)
        }
    }

    private static func photo(_ row: Row, _ files: [PhotoFile]) -> Photo {
        let decision: String? = row["decision"]
        return Photo(
            id: PhotoID(rawValue: row["id"]), library: LibraryID(rawValue: row["library"]),
            state: Photo.State(rawValue: row["state"]) ?? .missing, files: files, time: row["time"],
            header: decoded(row["header"]), features: features(row), failure: decoded(row["failure"]),
            isDamaged: row["isDamaged"],
            marks: PhotoMarks(isFavourite: row["favourite"], rating: row["rating"], label: row["label"]),
            decision: decision.map { PhotoAction.Kind(rawValue: $0) }, decidedAt: row["decidedAt"])
    }

    /// Returns a value that a column holds as JSON; nil if this version cannot read it, for example because a newer one
    /// wrote it. Sift computes the value again then.
    private static func decoded<Value: Decodable>(_ text: String?) -> Value? {
        guard let text else { return nil }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        } catch {
            return nil
        }
    }

    /// Returns what the search for photos that are alike needs, for all photos of a library that are indexed.
    public func alikePhotos(of library: LibraryID, in db: Database) throws -> [AlikePhoto] {
        var photos: [AlikePhoto] = []
        // SQLite takes the few values out of the headers: decoding each whole header takes ten times as long.
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT id, hash64, hash256, sharpness, isDamaged, header ->> '$.captured.localSeconds' AS captured,
                    header ->> '$.camera' AS camera, header ->> '$.orientation' AS orientation,
                    header ->> '$.width' AS width, header ->> '$.height' AS height,
                    header ->> '$.exposure.seconds' AS seconds, header ->> '$.exposure.aperture' AS aperture,
                    header ->> '$.exposure.sensitivity' AS sensitivity, header ->> '$.exposure.bias' AS bias,
                    header ->> '$.exposure.mode' AS mode, header ->> '$.exposure.focalLength' AS focalLength,
                    header ->> '$.exposure.subjectDistance' AS subjectDistance
                FROM shot
                WHERE library = ? AND state = 'present' AND json_valid(header) AND hash64 IS NOT NULL
                AND NOT isDamaged
                """, arguments: [library.rawValue])
        // Thousands of photos share the few names of cameras.
        var cameras: Set<String> = []
        while let row = try rows.next() {
            // Another version may have written other types into the header. They count as not there.
            func value<Value: DatabaseValueConvertible>(_ name: String) -> Value? { .fromDatabaseValue(row[name]) }
            guard let width: Int = value("width"), let height: Int = value("height"),
                let orientation: Int = value("orientation"), let features = Self.features(row)
            else { continue }
            let camera: String? = value("camera")
            let isTurned = orientation >= 5
            photos.append(
                AlikePhoto(
                    id: PhotoID(rawValue: row["id"]), captured: value("captured"),
                    camera: camera.map { cameras.insert($0).memberAfterInsert },
                    width: isTurned ? height : width, height: isTurned ? width : height, features: features,
                    exposure: PhotoExposure(
                        seconds: value("seconds"), aperture: value("aperture"), sensitivity: value("sensitivity"),
                        bias: value("bias"), mode: value("mode"), focalLength: value("focalLength"),
                        subjectDistance: value("subjectDistance"))))
        }
        return photos
    }

    private static func features(_ row: Row) -> PhotoFeatures? {
        let hash: Int64? = row["hash64"]
        let wide: String? = row["hash256"]
        let sharpness: Double? = row["sharpness"]
        guard let hash, let wide = wide.flatMap({ PhotoHash256(hexadecimal: $0) }), let sharpness else { return nil }
        return PhotoFeatures(
            hash64: PhotoHash64(bits: UInt64(bitPattern: hash)), hash256: wide, sharpness: sharpness,
            isDamaged: row["isDamaged"])
    }

    /// How many photos of a library are in which state.
    public struct Counts: Sendable, Hashable, Codable {
        /// The photos that are in the library or were trashed by Sift.
        public var total = 0
        /// The photos in the library that are not settled.
        public var undecided = 0
        /// The photos in the trash.
        public var trashed = 0
        /// The favourites in the library.
        public var favourites = 0
        /// The photos that were kept.
        public var kept = 0

        /// Creates counts of zero.
        public init() {}
    }

    /// Counts the photos of a library.
    public func counts(of library: LibraryID, in db: Database) throws -> Counts {
        var counts = Counts()
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT state, decision, COUNT(*) AS number FROM shot WHERE library = ? AND state <> 'missing'
                GROUP BY state, decision
                """, arguments: [library.rawValue])
        for row in rows {
            let number: Int = row["number"]
            let decision: String? = row["decision"]
            counts.total += number
            switch (row["state"] as String, decision) {
            case ("trashed", _): counts.trashed += number
            case (_, nil): counts.undecided += number
            case (_, PhotoAction.Kind.keep.rawValue): counts.kept += number
            default: break
            }
        }
        counts.favourites =
            try Int.fetchOne(
                db, sql: "SELECT COUNT(*) FROM shot WHERE library = ? AND state = 'present' AND favourite",
                arguments: [library.rawValue]) ?? 0
        return counts
    }
}

extension Row {
    /// Fetches rows with a cached statement.
    fileprivate static func fetchAll(
        _ db: Database, cached sql: String, arguments: StatementArguments
    ) throws -> [Row] {
        try fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
    }
}
