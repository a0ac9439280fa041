public import Foundation
import GRDB
public import HablarePersistence

extension PersonalData {
    /// The tables of a document: everything that is the person's own. Texts are not, because they are imported again.
    static let exported = PersonalTable.allCases.map(\.rawValue)

    /// Writes everything that is the person's own to a JSON document: marks, notes with all versions, folders, tags,
    /// plans, history and positions. ``importDocument(from:onConflict:)`` reads it without a loss.
    ///
    /// - Throws: ``PersonalDataError``: `fileFailed`, `databaseFailed`. An existing file is unchanged then.
    public func exportDocument(to url: URL) async throws {
        do {
            try await database.export(Self.exported, to: url)
        } catch {
            throw Self.error(error)
        }
    }

    /// Reads a document of ``exportDocument(to:)``, also one of an older Lectern. All of it is imported, or nothing.
    ///
    /// Changes that were made before the import can still be undone, as far as the import did not change them.
    ///
    /// - Parameters:
    ///   - url: The document.
    ///   - policy: The action for a row that exists already. Default: it stays.
    /// - Throws: ``PersonalDataError``: `damaged`, `newerVersion`, `conflict`, `diskFull`, `fileFailed`,
    ///   `databaseFailed`. Nothing was changed then.
    @discardableResult
    public func importDocument(from url: URL, onConflict policy: ImportPolicy = .skip) async throws -> ImportResult {
        do {
            let result = try await database.importTables(
                from: url, migrator: LecternSchema.migrator, onConflict: policy)
            try await database.write { try NoteIndex.addMissing(replacing: policy == .replace, in: $0) }
            return result
        } catch {
            throw Self.error(error)
        }
    }

    /// Erases everything that is the person's own, and the undo history. Nothing of it is left in the file. Texts stay.
    ///
    /// - Parameter kept: Tables of others that stay, such as those of texts and of narration.
    /// - Throws: ``PersonalDataError``: `diskFull` (erasing writes a new file), `databaseFailed`.
    public func eraseAll() async throws {
        do {
            let own = Set(Self.exported + ["personalCommand", "noteText"])
            let kept = try await database.read { db in
                try Set(
                    String.fetchAll(
                        db,
                        sql: """
                            SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
                            AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'grdb\\_%' ESCAPE '\\'
                            AND name NOT LIKE 'hablare\\_action%' ESCAPE '\\'
                            """)
                ).subtracting(own)
            }
            try await database.deleteAll(except: kept, vacuum: true)
            // The write-ahead log still has the old pages.
            try await checkpoint()
            try await reopen()
        } catch {
            throw Self.error(error)
        }
    }

    private func checkpoint() async throws {
        let database = database
        guard database.url != nil else { return }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            database.writer.asyncWriteWithoutTransaction { db in
                continuation.resume(with: Result { _ = try db.checkpoint(.truncate) })
            }
        }
    }

    private static func error(_ error: any Error) -> any Error {
        guard let error = error as? ExchangeError else { return PersonalDataError.forCaller(error) }
        let place = error.position.map { " (line \($0.line)\($0.table.map { ", \($0)" } ?? ""))" } ?? ""
        let code: PersonalDataError.Code =
            switch error.code {
            case .otherSchema, .unknownFormat: .newerVersion
            case .conflict: .conflict
            case .fileFailed: .fileFailed
            default: .damaged
            }
        if let cause = error.cause as? DatabaseError, cause.resultCode == .SQLITE_FULL {
            return PersonalDataError.forCaller(cause)
        }
        // The cause could contain the person's text.
        return PersonalDataError(code, error.message + place, cause: error.code.rawValue)
    }
}
