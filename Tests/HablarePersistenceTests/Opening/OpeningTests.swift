import Dispatch
import Foundation
import GRDB
import HablareFiles
import HablarePersistence
import HablareTestFiles
import Testing

@Suite("A database that can be opened", .timeLimit(.minutes(2))) struct OpeningTests {
    @Test("is made with its folders, for its owner's eyes only, and is there the next time")
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

    @Test("takes an empty file for a new database")
    func emptyFile() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: Notes.file(in: folder))
        #expect(try AppDatabase(at: Notes.file(in: folder), migrator: Notes.migrator).titles() == [])
    }

    @Test(
        "survives what its durability says: the writer's is set after the pool has chosen its own",
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

    @Test("prepares each connection, before migrations need it")
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

    @Test("prepares the connection, too, that looks whether the file is one that this version may open")
    func preparedForTheLook() throws {
        let folder = try TemporaryFolder()
        try AppDatabase(at: Notes.file(in: folder), migrator: Notes.migrator).add("one")
        let readOnly = Answers()
        let options = AppDatabase.Options(prepare: { db in readOnly.add(db.configuration.readonly) })
        _ = try AppDatabase(at: Notes.file(in: folder), migrator: Notes.migrator, options: options)
        #expect(readOnly.all.prefix(2) == [true, false])
    }

    @Test("is opened by many at once: each migrates, or finds it migrated")
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

    @Test("closes with the last reference, and leaves no log behind")
    func closed() throws {
        let folder = try TemporaryFolder()
        try AppDatabase.briefly(at: Notes.file(in: folder)) { try $0.add("one") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["notes.sqlite"])
    }

    @MainActor
    @Test("is not closed by whoever gives up the last reference to it, but elsewhere")
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

    @Test("waits for its turn as long as the timeout says, even where that is for ever")
    func endlessTimeout() throws {
        let folder = try TemporaryFolder()
        let database = try AppDatabase(
            at: Notes.file(in: folder), migrator: Notes.migrator, options: .init(busyTimeout: .seconds(Int64.max)))
        let set = try database.writer.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA busy_timeout") }
        #expect(set == 2_147_483_000)
    }

    @Test("takes former migrations for known ones when it is told that they were merged")
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

    @Test("is the file that a link leads to: it is locked, watched and made beside its log", arguments: [false, true])
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
        // Another connection is to SQLite what another process is.
        let other = try AppDatabase(at: file, migrator: Notes.migrator, options: .init(noticesOtherProcesses: false))
        var counts = database.values { try Note.fetchCount($0) }.makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try other.add("theirs")
        #expect(try await counts.next() == 1)
    }

    @MainActor
    @Test("is opened, read and written away from the main actor")
    func offMain() async throws {
        let folder = try TemporaryFolder()
        // Which thread the main actor has is not fixed on Linux; which queue is.
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

    @Test("in memory is migrated, has no file, and is alone")
    func inMemory() async throws {
        let database = try AppDatabase.inMemory(migrator: Notes.migrator)
        let other = try AppDatabase.inMemory(migrator: Notes.migrator)
        try database.add("one")
        #expect(database.url == nil)
        #expect(try await database.read { try Note.fetchCount($0) } == 1)
        #expect(try other.titles() == [])
    }

    @Test("undoes a write whose closure throws")
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
