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
}
