import Dispatch
import Foundation
import GRDB
import HablareFiles
import HablarePersistence
import HablareTestFiles
import Testing

@Suite("Opening a database", .timeLimit(.minutes(2))) struct OpeningTests {
    @Test("A database is created with its folders, private to its owner, and found the next time")
    func made() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("a/b c/notes.sqlite")
        try AppDatabase(at: file, migrator: Notes.migrator).add("one")
        let again = try AppDatabase(at: file, migrator: Notes.migrator)
        #expect(try again.titles() == ["one"])
        #expect(again.url == file)
        for (name, mode) in [("a", 0o700), ("a/b c", 0o700), ("a/b c/notes.sqlite", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: folder.url.appendingPathComponent(name).path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode)
        }
    }

    @Test("An empty file becomes a new database")
    func emptyFile() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: Notes.file(in: folder))
        #expect(try AppDatabase(at: Notes.file(in: folder), migrator: Notes.migrator).titles() == [])
    }

    @Test(
        "The writer has the configured durability despite the pool's default",
        arguments: [(AppDatabase.Durability.full, 2), (.normal, 1)])
    func durability(durability: AppDatabase.Durability, level: Int) throws {
        let folder = try TemporaryFolder()
        let database = try AppDatabase(
            at: Notes.file(in: folder), migrator: Notes.migrator, options: .init(durability: durability))
        let (synchronous, journal) = try database.writer.writeWithoutTransaction { db in
            (
                try Int.fetchOne(db, sql: "PRAGMA synchronous"),
                try String.fetchOne(db, sql: "PRAGMA journal_mode")
            )
        }
        #expect(synchronous == level)
        #expect(journal == "wal")
    }

    @Test("Each connection is prepared before migrations need it")
    func prepared() async throws {
        let folder = try TemporaryFolder()
        var migrator = Notes.migrator
        migrator.registerMigration("002-shout") { db in
            try db.execute(sql: "INSERT INTO note (title) VALUES (shout('hey'))")
        }
        let shout = DatabaseFunction("shout", argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0])?.uppercased()
        }
        let database = try AppDatabase(
            at: Notes.file(in: folder), migrator: migrator, options: .init(prepare: { db in db.add(function: shout) }))
        let read = try await database.read { db in try String.fetchOne(db, sql: "SELECT shout(title) || 'x' FROM note")
        }
        #expect(read == "HEYx")
        let inMemory = try AppDatabase.inMemory(migrator: migrator, prepare: { db in db.add(function: shout) })
        #expect(try inMemory.titles() == ["HEY"])
        #expect(openingError { _ = try AppDatabase.inMemory(migrator: migrator) }?.code == .migrationFailed)
    }

    @Test("The connection that checks the file's version is prepared as well")
    func preparedForTheLook() throws {
        let folder = try TemporaryFolder()
        try AppDatabase(at: Notes.file(in: folder), migrator: Notes.migrator).add("one")
        let readOnly = Answers()
        let options = AppDatabase.Options(prepare: { db in readOnly.add(db.configuration.readonly) })
        _ = try AppDatabase(at: Notes.file(in: folder), migrator: Notes.migrator, options: options)
        #expect(readOnly.all.prefix(2) == [true, false])
    }

    @Test("Many can open a database at once, and it is migrated once")
    func together() throws {
        for _ in 0..<10 {
            let folder = try TemporaryFolder()
            let url = folder.url.appendingPathComponent("new/notes.sqlite")
            let failures = Failures()
            DispatchQueue.concurrentPerform(iterations: 8) { number in
                failures.catching { try AppDatabase(at: url, migrator: Notes.migrator).add("\(number)") }
            }
            #expect(failures.all == [])
            #expect(try AppDatabase(at: url, migrator: Notes.migrator).titles().count == 8)
        }
    }

    @Test("A database closes with its last reference, without a write-ahead log left")
    func closed() throws {
        let folder = try TemporaryFolder()
        try AppDatabase.briefly(at: Notes.file(in: folder)) { try $0.add("one") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["notes.sqlite"])
    }

    @MainActor
    @Test("A released database is closed on another queue")
    func closedElsewhere() throws {
        let folder = try TemporaryFolder()
        let closing = DispatchQueue(label: "closing")
        closing.suspend()
        weak var pool: DatabasePool?
        do {
            let database = try AppDatabase(
                at: Notes.file(in: folder), migrator: Notes.migrator, options: .init(noticesOtherProcesses: false),
                closingOn: closing)
            pool = database.writer as? DatabasePool
        }
        #expect(pool != nil)
        closing.resume()
        closing.sync {}
        #expect(pool == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["notes.sqlite"])
    }

    @Test("An infinite busy timeout is clamped to SQLite's maximum")
    func endlessTimeout() throws {
        let folder = try TemporaryFolder()
        let database = try AppDatabase(
            at: Notes.file(in: folder), migrator: Notes.migrator, options: .init(busyTimeout: .seconds(Int64.max)))
        let set = try database.writer.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA busy_timeout") }
        #expect(set == 2_147_483_000)
    }

    @Test("Retired migrations that were merged are accepted")
    func retired() throws {
        let folder = try TemporaryFolder()
        let file = Notes.file(in: folder)
        try AppDatabase(at: file, migrator: Notes.migrator).add("one")
        var merged = DatabaseMigrator()
        merged.registerMigration("002-all", merging: ["001-notes"]) { db, applied in
            #expect(applied == ["001-notes"])
        }
        #expect(openingError { _ = try AppDatabase(at: file, migrator: merged) }?.code == .tooNew)
        let database = try AppDatabase(at: file, migrator: merged, options: .init(retiredMigrations: ["001-notes"]))
        #expect(try database.titles() == ["one"])
    }

    @Test("A symbolic link opens its target, which is locked and watched", arguments: [false, true])
    func linked(isThere: Bool) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("real/notes.sqlite")
        let link = folder.url.appendingPathComponent("links/notes.sqlite")
        if isThere { try AppDatabase.briefly(at: file) }
        for url in [file, link] { try DurableCalls.system.makeFolders(url.deletingLastPathComponent().path) }
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "../real/notes.sqlite")
        if isThere {
            let error = try FileLock.whileHeld(on: file.deletingLastPathComponent().path, waiting: 0) {
                openingError {
                    _ = try AppDatabase(at: link, migrator: Notes.migrator, options: .init(busyTimeout: .zero))
                }
            }
            #expect(error?.code == .busy)
        }
        let database = try AppDatabase(at: link, migrator: Notes.migrator)
        #expect(database.url == link)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        try #require(try (database.writer as? DatabasePool)?.path == FileSystem.resolved(file.path))
        // SQLite treats another connection like another process.
        let other = try AppDatabase(at: file, migrator: Notes.migrator, options: .init(noticesOtherProcesses: false))
        var counts = database.values { try Note.fetchCount($0) }.makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try other.add("theirs")
        #expect(try await counts.next() == 1)
    }

    @MainActor
    @Test("A database is opened, read and written off the main actor")
    func offMain() async throws {
        let folder = try TemporaryFolder()
        // On Linux the main actor has no fixed thread, but a fixed queue.
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        #expect(DispatchQueue.getSpecific(key: key) == true)
        let isMain = Answers()
        let database = try await AppDatabase.open(
            at: Notes.file(in: folder), migrator: Notes.migrator,
            options: .init(prepare: { _ in isMain.add(DispatchQueue.getSpecific(key: key) ?? false) }))
        try await database.write { db in
            isMain.add(DispatchQueue.getSpecific(key: key) ?? false)
            try db.execute(sql: "INSERT INTO note (title) VALUES ('one')")
        }
        let titles = try await database.read { db in
            isMain.add(DispatchQueue.getSpecific(key: key) ?? false)
            return try String.fetchAll(db, sql: "SELECT title FROM note")
        }
        #expect(titles == ["one"])
        #expect(Set(isMain.all) == [false])
        #expect(isMain.all.count >= 4)
    }

    @Test("A database in memory is migrated, has no file, and is separate from others")
    func inMemory() async throws {
        let database = try AppDatabase.inMemory(migrator: Notes.migrator)
        let other = try AppDatabase.inMemory(migrator: Notes.migrator)
        try database.add("one")
        #expect(database.url == nil)
        #expect(try await database.read { try Note.fetchCount($0) } == 1)
        #expect(try other.titles() == [])
    }

    @Test("A write whose closure throws is rolled back")
    func undone() async throws {
        struct Refused: Error {}
        let database = try AppDatabase.inMemory(migrator: Notes.migrator)
        await #expect(throws: Refused.self) {
            try await database.write { db in
                try db.execute(sql: "INSERT INTO note (title) VALUES ('one')")
                throw Refused()
            }
        }
        #expect(try database.titles() == [])
    }
}
