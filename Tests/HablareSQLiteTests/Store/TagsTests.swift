import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareSQLite

@Suite struct TagsTests {
    @Test("A request retried alone keeps its tags, even if their bytes look like binary JSON")
    func retriedAlone() throws {
        let sqlite = try SQLiteBench()
        let bench = sqlite.bench
        let owner = try bench.register()
        // `["ab"]` has six bytes that are also a value of SQLite's binary JSON since version 3.45. An older version
        // treats them as text in any statement.
        for number in 1...2 {
            try bench.submit(
                StoreWorkbench.submission(
                    of: AIRequest(id: StoreWorkbench.id(number), prompt: "the same", tags: number == 1 ? ["ab"] : [])))
        }
        _ = try bench.write(.cancel(StoreWorkbench.id(1), at: StoreWorkbench.date(3)))
        try bench.finishNext(owner)
        #expect(try bench.write(.retry(StoreWorkbench.id(1), at: StoreWorkbench.date(5))) == .done)
        let flight = try #require(try bench.store.snapshot(of: StoreWorkbench.id(1))?.flight)
        let tags = try sqlite.store.pool.read { db in
            try String.fetchAll(db, sql: "SELECT tag FROM flight_tags WHERE flight = ?", arguments: [flight.rawValue])
        }
        #expect(tags == ["ab"])
    }
}
