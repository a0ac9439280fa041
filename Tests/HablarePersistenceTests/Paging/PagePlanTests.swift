import GRDB
import HablareTestKit
import Testing

@testable import HablarePersistence

@Suite("Query plans of pages") struct PagePlanTests {
    @Test("A page reads index ranges in every order and direction, without scans or sorting")
    func ranges() throws {
        var random = SeededGenerator(seed: 1)
        let database = try AppDatabase.inMemory(migrator: Card.migrator)
        try database.writer.write { db in for id in 0..<300 { try Card.random(id, &random).insert(db) } }
        for (order, _) in Card.orders {
            let query = try PagedQuery(order: order) { Card.all() }
            try database.reader.read { db in
                let cursors = try query.page(in: db).cursors + query.page(.last, in: db).cursors
                #expect(cursors.count == 100)
                // One for each kind of position: with nulls and without.
                let kinds = Dictionary(grouping: cursors) { $0.values.map(\.isNull) }.compactMap(\.value.first)
                for cursor in kinds {
                    for way in [
                        PageWay(direction: .forward, cursor: cursor), PageWay(direction: .backward, cursor: cursor),
                        PageWay(direction: .forward, cursor: cursor, isInclusive: true),
                    ] {
                        for plan in try plans(query, way, db) {
                            #expect(plan.contains("SEARCH card"), "\(order) \(way): \(plan)")
                            #expect(!plan.contains("SCAN") && !plan.contains("B-TREE"), "\(order) \(way): \(plan)")
                        }
                    }
                }
            }
        }
    }

    @Test("A first or last page reads the index from that end, without sorting")
    func ends() throws {
        let database = try AppDatabase.inMemory(migrator: Card.migrator)
        for (order, _) in Card.orders {
            let query = try PagedQuery(order: order) { Card.all() }
            try database.reader.read { db in
                for way in [PageWay(direction: .forward), PageWay(direction: .backward)] {
                    for plan in try plans(query, way, db) { #expect(!plan.contains("B-TREE"), "\(order): \(plan)") }
                }
            }
        }
    }

    @Test("A page skips no rows by number, and reads at most one row more than it has")
    func limits() throws {
        let database = try AppDatabase.inMemory(migrator: Card.migrator)
        try database.writer.write { db in for id in 0..<9 { try Card(id: id).insert(db) } }
        let query = try PagedQuery(order: PageOrder(.ascending("a"), unique: .ascending("id")), size: 3) { Card.all() }
        try database.writer.write { db in
            var statements: [String] = []
            db.trace { statements.append("\($0)") }
            let cursor = try #require(try query.page(in: db).next)
            _ = try query.page(cursor, in: db)
            db.trace(nil)
            let reads = statements.filter { $0.contains("\"card\"") && $0.hasPrefix("SELECT") }
            #expect(reads.count >= 2)
            for read in reads {
                #expect(!read.uppercased().contains("OFFSET"))
                #expect(read.hasSuffix("LIMIT 1") || read.hasSuffix("LIMIT 4"), "\(read)")
            }
        }
    }

    private func plans(_ query: PagedQuery<Card>, _ way: PageWay, _ db: Database) throws -> [String] {
        try query.requests(on: way).map { request in
            let statement = try request.limit(51).makePreparedRequest(db).statement
            return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + statement.sql, arguments: statement.arguments)
                .map { $0["detail"] as String }.joined(separator: "; ")
        }
    }
}
