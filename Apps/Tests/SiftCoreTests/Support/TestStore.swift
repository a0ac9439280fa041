import Foundation
import GRDB
import Hablare
import HablareData
import HablarePersistence
import HablareTestKit
import Logging
import Testing

@testable import SiftCore

/// A library with its store, and a processor that can be opened again as after a restart.
final class TestStore: Sendable {
    let test: TestLibrary
    let database: AppDatabase
    let library: Library
    let session: Int64
    let clock = ManualClock()

    convenience init(_ names: String...) async throws {
        try await self.init(in: AppDatabase.inMemory(migrator: SiftSchema.migrator), names)
    }

    convenience init(in database: AppDatabase, _ names: String...) async throws {
        try await self.init(in: database, names)
    }

    convenience init(names: [String]) async throws {
        try await self.init(in: AppDatabase.inMemory(migrator: SiftSchema.migrator), names)
    }

    private init(in database: AppDatabase, _ names: [String]) async throws {
        self.database = database
        test = try TestLibrary()
        for name in names { try test.add(name) }
        let folder = try test.open()
        (library, session) = try await database.write { db in
            let library = try PhotoStore().addLibrary(folder, at: Date(timeIntervalSince1970: 0), in: db)
            let session = try DecisionStore().beginSession(of: library.id, at: Date(timeIntervalSince1970: 0), in: db)
            return (library, session.id)
        }
        try await scan()
    }

    private var seams: EngineSeams {
        var seams = EngineSeams()
        seams.date = { Date(timeIntervalSince1970: 0) }
        return seams
    }

    var scanner: LibraryScanner { LibraryScanner(database: database, seams: seams) }

    @discardableResult
    func scan() async throws -> LibraryScanner.Progress {
        let library = try await reread()
        return try await scanner.scan(library)
    }

    func reread() async throws -> Library {
        let id = library.id
        return try #require(try await database.read { try PhotoStore().library(id, in: $0) })
    }

    func trash() -> Trash {
        Trash(
            journal: StoredTrashJournal(database), home: Array(test.home.path.utf8),
            date: { Date(timeIntervalSince1970: 1_767_225_600) }, zone: TimeZone(secondsFromGMT: 0) ?? .current)
    }

    /// Opens a processor, as at the start of the program.
    func processor(
        _ configuration: ActionQueueConfiguration = .sift, trash: Trash? = nil
    ) async throws -> PhotoBatchProcessor {
        try await PhotoBatchProcessor(
            database: database, trash: trash ?? self.trash(), configuration: configuration,
            seams: .controlled(by: clock), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Runs a processor during a test.
    func running<R: Sendable>(
        _ processor: PhotoBatchProcessor, _ body: @escaping @Sendable (PhotoBatchProcessor) async throws -> R
    ) async throws -> R {
        try await withThrowingTaskGroup(of: R?.self) { group in
            group.addTask {
                do { try await processor.run() } catch is CancellationError {}
                return nil
            }
            group.addTask {
                for await state in processor.updates where state.isRunning { break }
                return try await body(processor)
            }
            while let result = try await group.next() {
                guard let result else { continue }
                group.cancelAll()
                return result
            }
            throw CancellationError()
        }
    }

    func photos(_ filter: PhotoStore.Filter = .all) async throws -> [Photo] {
        let id = library.id
        return try await database.read { try PhotoStore().photos(of: id, filter, limit: 1000, in: $0) }
            .sorted { $0.principal.path < $1.principal.path }
    }

    func photo(_ name: String) async throws -> Photo {
        try #require(try await photos().first { $0.principal.path.description == name })
    }

    func photo(_ id: PhotoID) async throws -> Photo {
        try #require(try await database.read { try PhotoStore().photo(id, in: $0) })
    }

    func history() async throws -> [Decision] {
        let id = library.id
        return try await database.read { try DecisionStore().history(of: id, limit: 100, in: $0) }
    }
}
