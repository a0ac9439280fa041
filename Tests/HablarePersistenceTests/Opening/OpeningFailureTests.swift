import Foundation
import GRDB
import HablareFiles
import HablarePersistence
import HablareTestFiles
import HablareTestKit
import Testing

@Suite("Failure to open a database") struct OpeningFailureTests {
    @Test("A missing folder is an error if it must not be created")
    func folderMissing() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("none/notes.sqlite")
        let error = openingError {
            _ = try AppDatabase(at: file, migrator: Notes.migrator, options: .init(createsFolder: false))
        }
        #expect(error?.code == .folderMissing)
        #expect(error?.message.contains(file.deletingLastPathComponent().path) == true)
        #expect(!FileManager.default.fileExists(atPath: file.deletingLastPathComponent().path))
    }

    @Test(
        "A folder that cannot be created because of a file is an error", arguments: ["file", "file/folder"])
    func belowFile(name: String) throws {
        let folder = try TemporaryFolder()
        try Data("x".utf8).write(to: folder.url.appendingPathComponent("file"))
        let file = folder.url.appendingPathComponent(name).appendingPathComponent("notes.sqlite")
        let error = openingError { _ = try AppDatabase(at: file, migrator: Notes.migrator) }
        #expect(error?.code == .folderMissing)
        #expect(error?.message.contains("Move the file away") == true)
    }

    @Test(
        "A folder that is not writable is an error", .enabled(if: FileManager.default.fileExists(atPath: "/proc/self"))
    )
    func unwritable() throws {
        let inside = URL(fileURLWithPath: "/proc/self/notes.sqlite")
        let below = URL(fileURLWithPath: "/proc/self/hablare/notes.sqlite")
        for file in [inside, below] {
            let error = openingError { _ = try AppDatabase(at: file, migrator: Notes.migrator) }
            #expect(error?.code == .folderUnwritable)
            #expect(error?.message.localizedCaseInsensitiveContains("choose another location") == true)
            // The message does not advise to create what exists or cannot be created.
            #expect(error?.message.contains("Create it") == false)
        }
    }

    @Test("A folder in place of the file is an error")
    func folderInstead() throws {
        let folder = try TemporaryFolder()
        let error = openingError { _ = try AppDatabase(at: folder.url, migrator: Notes.migrator) }
        #expect(error?.code == .notADatabase)
        #expect(error?.message.contains("is a folder") == true)
    }

    @Test("A file of other bytes is refused and not changed", arguments: [1, 99, 100, 20_000])
    func otherBytes(count: Int) throws {
        var random = SeededGenerator(seed: 1)
        let folder = try TemporaryFolder()
        let file = Notes.file(in: folder)
        let bytes = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        try bytes.write(to: file)
        let error = openingError { _ = try AppDatabase(at: file, migrator: Notes.migrator) }
        #expect(error?.code == .notADatabase)
        #expect(try Data(contentsOf: file) == bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["notes.sqlite"])
    }

    @Test("A truncated database is an error when it is opened or read", arguments: [4096, 9000])
    func truncated(size: Int) throws {
        let folder = try TemporaryFolder()
        let file = Notes.file(in: folder)
        try AppDatabase.briefly(at: file) { database in
            for number in 0..<200 { try database.add(String(repeating: "\(number)", count: 100)) }
        }
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(size))
        try handle.close()
        var code: AppDatabaseError.Code?
        do {
            let database = try AppDatabase(at: file, migrator: Notes.migrator)
            do {
                _ = try database.titles()
            } catch {
                code = AppDatabaseError(describing: error, of: database)?.code
            }
        } catch {
            code = error.code
        }
        #expect(code == .corrupt)
    }

    @Test("A database of a newer version is refused and not changed")
    func newer() throws {
        let folder = try TemporaryFolder()
        let file = Notes.file(in: folder)
        var newer = Notes.migrator
        newer.registerMigration("002-from-the-future") { db in try db.execute(sql: "ALTER TABLE note ADD COLUMN x") }
        try AppDatabase.briefly(at: file, migrator: newer)
        let before = try Data(contentsOf: file)
        let error = openingError { _ = try AppDatabase(at: file, migrator: Notes.migrator) }
        #expect(error?.code == .tooNew)
        #expect(error?.message.contains("002-from-the-future") == true)
        #expect(try Data(contentsOf: file) == before)
    }

    @Test("A failed migration is named and undone, and earlier ones stay")
    func migration() throws {
        struct Wrong: Error {}
        let folder = try TemporaryFolder()
        let file = Notes.file(in: folder)
        var failing = Notes.migrator
        failing.registerMigration("002-fails") { db in
            try db.execute(sql: "INSERT INTO note (title) VALUES ('half')")
            throw Wrong()
        }
        let error = openingError { _ = try AppDatabase(at: file, migrator: failing) }
        #expect(error?.code == .migrationFailed)
        #expect(error?.message.contains("002-fails") == true)
        #expect(error?.cause is Wrong)
        #expect(try AppDatabase(at: file, migrator: Notes.migrator).titles() == [])
        #expect(openingError { _ = try AppDatabase.inMemory(migrator: failing) }?.code == .migrationFailed)
    }

    @Test("A database that another process is opening past the timeout is an error")
    func opening() throws {
        let folder = try TemporaryFolder()
        let error = try FileLock.whileHeld(on: folder.url.path, waiting: 0) {
            openingError {
                _ = try AppDatabase(
                    at: Notes.file(in: folder), migrator: Notes.migrator, options: .init(busyTimeout: .zero))
            }
        }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("Try again") == true)
    }

    @Test("A database that another process keeps locked past the timeout is an error")
    func locked() throws {
        let folder = try TemporaryFolder()
        let file = Notes.file(in: folder)
        try AppDatabase.briefly(at: file)
        let other = try DatabaseQueue(path: file.path)
        let error = try other.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
            defer { failing { try db.execute(sql: "ROLLBACK; PRAGMA locking_mode = NORMAL") } }
            return openingError {
                _ = try AppDatabase(at: file, migrator: Notes.migrator, options: .init(busyTimeout: .zero))
            }
        }
        #expect(error?.code == .busy)
    }

    @Test("Invalid options or a web URL are refused, and nothing is created")
    func options() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("new/notes.sqlite")
        for options in [AppDatabase.Options(busyTimeout: .seconds(-1)), AppDatabase.Options(readers: 0)] {
            let error = openingError { _ = try AppDatabase(at: file, migrator: Notes.migrator, options: options) }
            #expect(error?.code == .invalidOptions)
        }
        let web = try #require(URL(string: "https://example.com/notes.sqlite"))
        let error = openingError { _ = try AppDatabase(at: web, migrator: Notes.migrator) }
        #expect(error?.code == .invalidOptions)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test("Opening does not start in a cancelled task")
    func cancelled() async throws {
        let folder = try TemporaryFolder()
        let file = Notes.file(in: folder)
        await withTaskGroup(of: Bool.self) { group in
            group.cancelAll()
            group.addTask {
                do {
                    _ = try await AppDatabase.open(at: file, migrator: Notes.migrator)
                    return false
                } catch {
                    return error is CancellationError
                }
            }
            #expect(await group.next() == true)
        }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("The description contains the cause, and the message the advice")
    func description() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("none/notes.sqlite")
        let error = try #require(
            openingError {
                _ = try AppDatabase(at: file, migrator: Notes.migrator, options: .init(createsFolder: false))
            })
        #expect(error.description.hasPrefix("folderMissing: ") && error.description.contains("No such file"))
        #expect(error.errorDescription == error.message && !error.message.contains("No such file"))
    }
}

/// Runs code that must not fail.
private func failing(_ body: () throws -> Void) {
    do {
        try body()
    } catch {
        Issue.record(error)
    }
}
