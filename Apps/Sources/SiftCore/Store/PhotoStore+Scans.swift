public import Foundation
public import GRDB
import HablarePersistence

/// The reads and writes of a scan.
extension PhotoStore {
    /// Returns all shots of a library, as a scan needs them.
    public func knownShots(of library: LibraryID, in db: Database) throws -> [KnownShot] {
        var shots: [KnownShot] = []
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT shot.id, shot.folder AS place, shot.key, shot.state, file.*
                FROM shot JOIN file ON file.shot = shot.id WHERE shot.library = ? ORDER BY shot.id, file.position
                """, arguments: [library.rawValue])
        while let row = try rows.next() {
            guard let file = Self.file(row) else { continue }
            let id = PhotoID(rawValue: row["shot"])
            if shots.last?.id == id {
                shots[shots.count - 1].files.append(file)
                continue
            }
            let (place, key): (Data, Data) = (row["place"], row["key"])
            let digest: Data? = row["digest"]
            shots.append(
                KnownShot(
                    id: id, folder: RelativeFolder(bytes: place) ?? .root, key: Array(key), files: [file],
                    state: Photo.State(rawValue: row["state"]) ?? .missing, digest: digest.map { Array($0) }))
        }
        return shots
    }

    /// Applies edits of a scan.
    public func apply(_ edits: [ScanEdit], to library: LibraryID, in db: Database) throws {
        for edit in edits {
            switch edit {
            case .insert(let found):
                try insert(found, into: library, in: db)
            case .update(let id, let found, let hasNewPicture):
                if hasNewPicture {
                    try db.execute(
                        sql: """
                            UPDATE shot SET header = NULL, hash64 = NULL, hash256 = NULL, sharpness = NULL,
                            failure = NULL, isDamaged = 0, decision = CASE decision WHEN 'trash' THEN decision ELSE NULL END,
                            time = ? WHERE id = ?
                            """, arguments: [Self.time(of: found.version), id.rawValue])
                }
                try write(found.files, of: id, in: db)
            case .move(let id, let found) where try !found.version.hasInode && isInTrash(id, in: db):
                // Without lasting inodes, a copy at the photo's old place looks like the photo.
                try insert(found, into: library, in: db)
            case .move(let id, let found):
                try clearPlace(of: found, except: id, library, in: db)
                // Another program has restored it: that is the reversal of the decision.
                try db.execute(
                    sql: """
                        UPDATE decision
                        SET isUndone = 1, canRedo = 0, execution = execution + 1, settled = execution + 1
                        WHERE shot = (SELECT id FROM shot WHERE id = ? AND state = 'trashed')
                        AND kind = 'trash' AND NOT isUndone AND failure IS NULL AND settled >= execution
                        """, arguments: [id.rawValue])
                try db.execute(
                    sql: """
                        UPDATE shot SET folder = ?, key = ?,
                        decision = CASE state WHEN 'trashed' THEN NULL ELSE decision END,
                        decidedAt = CASE state WHEN 'trashed' THEN NULL ELSE decidedAt END, state = 'present'
                        WHERE id = ?
                        """, arguments: [Data(found.folder.bytes), Data(found.key), id.rawValue])
                try write(found.files, of: id, in: db)
            case .lose(let id):
                try db.execute(
                    sql: "UPDATE shot SET state = 'missing' WHERE id = ? AND state = 'present'",
                    arguments: [id.rawValue])
            }
        }
    }

    private func insert(_ found: FoundShot, into library: LibraryID, in db: Database) throws {
        try clearPlace(of: found, except: nil, library, in: db)
        try db.cachedStatement(
            sql: "INSERT INTO shot (library, folder, key, state, time) VALUES (?, ?, ?, 'present', ?)"
        ).execute(
            arguments: [library.rawValue, Data(found.folder.bytes), Data(found.key), Self.time(of: found.version)])
        try insert(found.files, of: PhotoID(rawValue: db.lastInsertedRowID), digest: nil, in: db)
    }

    /// Returns whether the trash holds a shot, as far as Sift's own moves say.
    private func isInTrash(_ id: PhotoID, in db: Database) throws -> Bool {
        try String.fetchOne(
            db,
            sql: """
                SELECT trashAct.phase FROM shot JOIN decision ON decision.shot = shot.id AND decision.kind = 'trash'
                JOIN trashAct ON trashAct.key = json_extract(decision.action, '$.trashKey')
                WHERE shot.id = ? AND shot.state = 'trashed' ORDER BY decision.number DESC LIMIT 1
                """, arguments: [id.rawValue]) == TrashRecord.Phase.moved.rawValue
    }

    /// Marks a present shot at a place as missing, because another one is there now.
    private func clearPlace(
        of found: FoundShot, except id: PhotoID?, _ library: LibraryID, in db: Database
    ) throws {
        try db.cachedStatement(
            sql: """
                UPDATE shot SET state = 'missing'
                WHERE library = ? AND folder = ? AND key = ? AND state = 'present' AND id <> ?
                """
        ).execute(
            arguments: [library.rawValue, Data(found.folder.bytes), Data(found.key), id?.rawValue ?? 0])
    }

    /// Records that a scan of the whole library ended.
    public func markScanned(_ library: LibraryID, device: UInt64, at date: Date, in db: Database) throws {
        try db.execute(
            sql: "UPDATE library SET scannedAt = ?, device = ? WHERE id = ?",
            arguments: [date, Int64(bitPattern: device), library.rawValue])
    }

    private func write(_ files: [PhotoFile], of id: PhotoID, in db: Database) throws {
        let digest = try Row.fetchOne(
            db, sql: "SELECT * FROM file WHERE shot = ? AND position = 0", arguments: [id.rawValue])
        let kept: Data? = digest.flatMap { row in
            let old = Self.file(row)
            return files.first.flatMap { old?.version.isSameFile(as: $0.version) == true ? row["digest"] : nil }
        }
        try db.execute(sql: "DELETE FROM file WHERE shot = ?", arguments: [id.rawValue])
        try insert(files, of: id, digest: kept, in: db)
    }

    private func insert(_ files: [PhotoFile], of id: PhotoID, digest: Data?, in db: Database) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO file (shot, position, folder, name, role, device, inode, size, modified, digest)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        for (position, file) in files.enumerated() {
            try statement.execute(arguments: [
                id.rawValue, position, Data(file.path.folder.bytes), Data(file.path.name.bytes), file.role.rawValue,
                Int64(bitPattern: file.version.device), Int64(bitPattern: file.version.inode), file.version.size,
                file.version.modified, position == 0 ? digest : nil,
            ])
        }
    }

    private static func time(of version: PhotoVersion) -> Double { Double(version.modified) / 1e9 }

    static func file(_ row: Row) -> PhotoFile? {
        let (folder, name): (Data, Data) = (row["folder"], row["name"])
        let (device, inode): (Int64, Int64) = (row["device"], row["inode"])
        guard let folder = RelativeFolder(bytes: folder), let name = FileName(name),
            let role = FileRole(rawValue: row["role"])
        else { return nil }
        return PhotoFile(
            path: RelativePath(folder, name), role: role,
            version: PhotoVersion(
                device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode), size: row["size"],
                modified: row["modified"]))
    }
}
