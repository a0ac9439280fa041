import Foundation
import GRDB
import Hablare
import HablareData
import HablareSupport
import HablareTestKit
import Testing

@Suite("Promises that cannot be fulfilled yet")
@MainActor struct PromiseFailureTests {
    @Test("A promise with a missing row has advice, and is fulfilled when it is repeated")
    func promisedAgain() async throws {
        let bench = try DataWorkbench()
        try await bench.runningBoth {
            let id = try await bench.coordinator.submit(
                AIRequest(prompt: "Summary"), mergingInto: "article.summary", row: 4242)
            try await bench.soon {
                let failure = try await bench.coordinator.pendingMerges().first?.failure
                return ["promiseMerge", "forgetMerge", "restart the coordinator"]
                    .allSatisfy { failure?.contains($0) == true }
            }
            try await bench.database.write { database in
                var article = Article(id: 4242)
                try article.insert(database)
            }
            try await bench.coordinator.promiseMerge(requestID: id, into: "article.summary", row: 4242)
            try await bench.soon { try await bench.article(4242).summary == "Summary" }
        }
        #expect(try await bench.coordinator.pendingMerges().isEmpty)
    }

    @Test("A full disk leads to automatic retries of a promise, even beside a stuck one")
    func diskFull() async throws {
        let isFull = Locked(true)
        let bench = try DataWorkbench(targets: [
            .custom("full", as: String.self) { database, _, text, _ in
                if isFull.withLock({ $0 }) { throw DatabaseError(resultCode: .SQLITE_FULL) }
                var note = Note(text: text)
                try note.insert(database)
            },
            .column(Article.self, { $0.summary }),
        ])
        let request = AIRequest(prompt: "Summary")
        try await bench.coordinator.submit(request, mergingInto: "full", row: .new)
        try await bench.coordinator.promiseMerge(requestID: request.id, into: "article.summary", row: 99)
        try await bench.runningBoth {
            try await bench.soon {
                try await bench.coordinator.pendingMerges().filter { $0.failure != nil }.count == 2
            }
            let failures = try await bench.coordinator.pendingMerges().filter { $0.key.target == "full" }.map(\.failure)
            let told =
                "The app's database refused the merge. The disk of the database is full. Free some space. The promised merge is retried automatically."
            #expect(failures == [told])
            isFull.withLock { $0 = false }
            try await bench.soon {
                bench.clock.advance(by: .seconds(1))
                return try await bench.database.read { try Note.fetchCount($0) } == 1
            }
        }
        #expect(try await bench.coordinator.pendingMerges().map(\.key.target) == ["article.summary"])
    }

    @Test("A full disk prevents a promise, and the error advises another call")
    func notPromised() async throws {
        let bench = try DataWorkbench()
        // The minimum that SQLite allows: the current pages.
        try await bench.database.write { try $0.execute(sql: "PRAGMA max_page_count = 1") }
        var error: MergeError?
        var promised = 0
        for _ in 0..<2000 where error == nil {
            do {
                try await bench.coordinator.submit(
                    AIRequest(prompt: "Summary"), mergingInto: "article.summary", row: 1)
                promised += 1
            } catch let refused as MergeError {
                error = refused
            }
        }
        #expect(error?.code == .diskFull && error?.isRetryable == true)
        #expect(
            error?.message.contains(
                "nothing was promised. The disk of the database is full. Free some space. Try again.") == true)
        #expect(try await bench.coordinator.pendingMerges().count == promised)
        #expect(try await bench.manager.snapshots(SnapshotFilter(limit: 2001)).count == promised)
    }

    @Test("A failed note is logged with its cause, and without any value")
    func logged() async throws {
        let bench = try DataWorkbench()
        try await bench.database.write { database in
            for table in ["promises", "receipts"] {
                try database.execute(
                    sql: """
                        CREATE TRIGGER \(table)_kept BEFORE UPDATE ON hablare_\(table)
                        BEGIN SELECT RAISE(ABORT, 'secret'); END
                        """)
            }
        }
        try await bench.runningBoth {
            try await bench.coordinator.submit(AIRequest(prompt: "a"), mergingInto: "article.summary", row: 1)
            try await bench.coordinator.submit(AIRequest(prompt: "b"), mergingInto: "article.summary", row: 99)
            for message in [
                "The failure of a promised merge could not be recorded",
                "The engine could not be told that responses were merged",
            ] {
                try await bench.soon {
                    bench.log.lines.contains {
                        $0.hasPrefix("warning: \(message)") && $0.contains("1811 (constraint failed)]")
                    }
                }
            }
        }
        #expect(!bench.log.lines.contains { $0.contains("secret") })
    }
}
