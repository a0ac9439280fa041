import Foundation
import GRDB
import HablarePersistence
import HablareTestFiles
import Testing

/// A real other process: SQLite's own command.
@Suite("Integration: another process", .timeLimit(.minutes(2))) struct RealProcessTests {
    private static let isThere: Bool = {
        do {
            return try runProgram("sqlite3", "-version") == 0
        } catch {
            return false
        }
    }()

    @Test("A write by another process is observed", .enabled(if: isThere, "sqlite3 is not installed"))
    func observed() async throws {
        let folder = try TemporaryFolder()
        let database = try AppDatabase(at: Notes.file(in: folder), migrator: Notes.migrator)
        var titles = database.values { try String.fetchAll($0, sql: "SELECT title FROM note ORDER BY id") }
            .makeAsyncIterator()
        #expect(try await titles.next() == [])
        for number in 1...3 {
            let sql = "PRAGMA busy_timeout = 5000; INSERT INTO note (title) VALUES ('\(number)')"
            #expect(try runProgram("sqlite3", Notes.file(in: folder).path, sql) == 0)
            #expect(try await titles.next() == (1...number).map { "\($0)" })
        }
    }
}
