import Dispatch
import Foundation
import GRDB
public import Hablare
public import HablarePersistence
public import LecternTexts
public import Logging
import Synchronization

/// Imports and deletes texts.
///
/// An import writes a new version beside the one that readers see, and switches to it in one transaction. If it fails,
/// is cancelled, or the process ends, readers still see the earlier version. The writer is never kept for long, so that
/// marks and positions are stored meanwhile.
public final class TextLibrary: Sendable {
    /// The most warnings of an import that are kept: 200.
    public static let mostWarnings = 200

    /// The outcome of an import.
    public struct ImportReport: Sendable, Hashable {
        /// The text, as it is stored.
        public let text: StoredText
        /// Whether an earlier version was replaced.
        public let replacedEarlier: Bool
        /// The first ``TextLibrary/mostWarnings`` warnings.
        public let warnings: [TextImportWarning]
        /// The number of all warnings.
        public let warningCount: Int
    }

    private let database: AppDatabase
    private let date: @Sendable () -> Date
    private let logger: Logger
    private let store = TextStore()
    /// Imports and deletions run one after another, on a thread that may wait.
    private let queue = DispatchQueue(label: "lectern.imports", qos: .utility)

    /// Creates a library.
    ///
    /// - Parameters:
    ///   - database: Lectern's database.
    ///   - seams: The dates. Default: those of the system.
    ///   - logger: The logger. Default: `lectern.library`.
    public init(
        _ database: AppDatabase, seams: EngineSeams = EngineSeams(), logger: Logger = Logger(label: "lectern.library")
    ) {
        self.database = database
        self.logger = logger
        date = seams.date
    }

    /// Returns the texts that can be read.
    public func texts() async throws -> [StoredText] {
        try await database.read { [store] db in try store.texts(in: db) }
    }

    /// Imports a text. If there is a text with the same id, the new one replaces it.
    ///
    /// Cancelling the task ends the import at the next part, and nothing is changed.
    ///
    /// - Parameters:
    ///   - source: The importer of the text.
    ///   - progress: Receives the number of verses so far, after each chapter, on the thread of the import.
    ///     Default: nothing.
    /// - Throws: ``TextImportError``, the errors of the database, or `CancellationError`.
    public func add(
        from source: any TextImporting, progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> ImportReport {
        let isCancelled = Flag()
        return try await withTaskCancellationHandler {
            try await run { try self.importText(source, isCancelled, progress) }
        } onCancel: {
            isCancelled.set()
        }
    }

    private func importText(
        _ source: any TextImporting, _ isCancelled: Flag, _ progress: (Int) -> Void
    ) throws -> ImportReport {
        var writer = TextWriter(database, at: date())
        var warnings: [TextImportWarning] = []
        var warningCount = 0
        // Also after a failure: what was written then is not seen, and what was replaced is not needed.
        defer { eraseUnseenIfPossible() }
        try source.read { part in
            if isCancelled.isSet { throw CancellationError() }
            if case .warning(let warning) = part {
                warningCount += 1
                if warnings.count < Self.mostWarnings { warnings.append(warning) }
            }
            try writer.write(part)
            if case .chapter = part { progress(writer.count) }
        }
        if isCancelled.isSet { throw CancellationError() }
        let (text, replaced) = try writer.finish()
        return ImportReport(text: text, replacedEarlier: replaced, warnings: warnings, warningCount: warningCount)
    }

    /// Deletes what readers do not see. If that fails, the next import or the next start does it.
    private func eraseUnseenIfPossible() {
        do {
            try eraseUnseen()
        } catch {
            logger.warning("Rows of a replaced text could not be deleted", metadata: ["error": "\(error)"])
        }
    }

    /// Deletes a text: readers do not see it when this method returns, and its rows are gone. One's own marks stay.
    ///
    /// - Throws: ``ReadingError`` with code `no-text`. The errors of the database.
    public func remove(_ id: String) async throws {
        try await database.write { [store] db in
            let text = try store.requireText(id, in: db)
            try db.execute(
                sql: "UPDATE text SET state = 'retired' WHERE version = ?", arguments: [text.version.rawValue])
        }
        try await removeLeftovers()
    }

    /// Deletes the rows of replaced texts, and of imports that ended with their process. Call it after the start. Only
    /// one library at a time may use the database: it deletes what another one is importing.
    public func removeLeftovers() async throws {
        try await run { try self.eraseUnseen() }
    }

    private func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }

    private func eraseUnseen() throws {
        let unseen = try database.reader.read { db in
            try Int64.fetchAll(db, sql: "SELECT version FROM text WHERE state <> 'current' ORDER BY version")
        }
        for version in unseen { try TextEraser(database: database).erase(TextVersion(rawValue: version)) }
    }
}

/// A flag that is set once, from any thread.
final class Flag: Sendable {
    private let value = Atomic(false)

    /// Whether it is set.
    var isSet: Bool { value.load(ordering: .acquiring) }

    /// Sets it.
    func set() { value.store(true, ordering: .releasing) }
}
