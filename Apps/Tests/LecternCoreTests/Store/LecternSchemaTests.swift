import GRDB
import LecternCore
import Testing

@Suite("The tables of Lectern")
struct LecternSchemaTests {
    @Test("The migrations run on an empty database")
    func migrationsRun() throws {
        let queue = try DatabaseQueue()
        try LecternSchema.migrator.migrate(queue)
        #expect(try queue.read { db in try LecternSchema.migrator.hasCompletedMigrations(db) })
    }

    @Test("Every table that a view may observe has row ids, because SQLite does not report changes of other tables")
    func observedTables() throws {
        let queue = try DatabaseQueue()
        try LecternSchema.migrator.migrate(queue)
        let tables = try queue.read { db in
            try String.fetchSet(
                db,
                sql: """
                    SELECT name FROM pragma_table_list
                    WHERE schema = 'main' AND type = 'table' AND wr AND name NOT LIKE 'hablare%'
                    """)
        }
        // A view observes the row of `text` instead, which every import changes. No view observes the other tables.
        let unobserved: Set = ["book", "verse", "word", "restrictedChapter", "personalCommand"]
        #expect(tables == unobserved)
    }
}
