import Foundation
import GRDB
import Hablare
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

/// The news that one of two stores on a folder gets of the other's commits.
@Suite struct ForeignChangesTests {
    private let sqlite: SQLiteBench
    private let other: SQLiteStore
    /// Opened before the first commit, which is logged because of it.
    private let bystander: SQLiteStore
    private var mine: StoreWorkbench { sqlite.bench }
    private var theirs: StoreWorkbench { StoreWorkbench(store: other) }

    init() throws {
        sqlite = try SQLiteBench()
        bystander = try SQLiteStore(directory: sqlite.folder.url)
        try sqlite.bench.submit(1)
        other = try SQLiteStore(directory: sqlite.folder.url)
    }

    private func look(where isOfInterest: (ChangedRow) -> Bool = { _ in true }) throws -> ForeignChanges {
        try other.foreignChanges(where: isOfInterest)
    }

    private func summary(where isOfInterest: (ChangedRow) -> Bool = { _ in true }) throws -> [ChangeSummary] {
        let changes = try look(where: isOfInterest)
        #expect(changes.isComplete)
        return changes.changes.map(ChangeSummary.init)
    }

    /// Returns a flight, its output and one of its requests as they are read back.
    private func rows(_ number: Int, _ change: RequestChange) throws -> [ChangeSummary] {
        let flight = try #require(try mine.store.snapshot(of: StoreWorkbench.id(number))?.flight)
        return [
            .flight(flight, try mine.lifecycle(flight)), .appended(flight),
            .request(StoreWorkbench.id(number), of: flight, change),
        ]
    }

    @Test("A store gets each foreign commit after its opening once")
    func firstLook() throws {
        #expect(try look().isEmpty, "request 1 was there before")
        try mine.submit(2)
        #expect(try summary() == rows(2, .pending))
        #expect(try look().isEmpty)
    }

    @Test("The first read finds commits made since the opening")
    func beforeFirstLook() throws {
        try mine.submit(2)
        #expect(try summary() == rows(2, .pending))
    }

    @Test("A row that changed several times is reported once, in its present state")
    func present() throws {
        let owner = try mine.register()
        try mine.submit(2)
        for _ in 1...2 { try mine.finishNext(owner) }
        let changes = try look()
        let expected = try [1, 2].map { try rows($0, .completed) }
        #expect(
            changes.changes.map(ChangeSummary.init)
                == expected[1][..<2] + expected[0][..<2] + [expected[1][2], expected[0][2]])
        _ = try mine.write(.delete(StoreWorkbench.id(2), at: StoreWorkbench.date(9)))
        #expect(try summary() == [.request(StoreWorkbench.id(2), of: FlightID(rawValue: 0), .erased)])
    }

    @Test("Own commits between foreign ones are not reported")
    func own() throws {
        for number in 2...9 { try (number.isMultiple(of: 2) ? mine : theirs).submit(number) }
        let found = try summary().compactMap { if case .request(let id, of: _, _) = $0 { id } else { nil } }
        #expect(found == [2, 4, 6, 8].map(StoreWorkbench.id))
        try theirs.submit(10)
        #expect(try look().isEmpty)
        try mine.submit(11)
        try theirs.submit(12)
        #expect(try summary() == rows(11, .pending))
    }

    @Test("A long run of own commits is neither read nor counted as missed")
    func ownRun() throws {
        try fillLog(by: theirs)
        try mine.submit(2)
        #expect(try summary() == rows(2, .pending))
    }

    @Test("Rows without interest are not read, but what they may mean for others is reported")
    func interest() throws {
        try mine.submit(2)
        try mine.submit(3)
        let expected = try Array(rows(3, .pending)[..<2]) + [rows(2, .pending)[2]]
        let flight = try #require(try mine.store.snapshot(of: StoreWorkbench.id(3))?.flight)
        let interest: Set<ChangedRow> = [.request(StoreWorkbench.id(2)), .flight(flight)]
        // A request that cannot be read is of no interest, and costs nothing.
        try sqlite.store.pool.write {
            try $0.execute(sql: "UPDATE requests SET error = x'ff', state = 2 WHERE flight = 3")
        }
        _ = try serviceError { _ = try other.snapshot(of: StoreWorkbench.id(3)) }
        #expect(try summary(where: interest.contains) == expected)
        try mine.submit(4)
        let none = try look { _ in false }
        #expect(none.changes.isEmpty && none.mayWait && !none.touchesAnswers && !none.isEmpty)
        let owner = try mine.register()
        let attempt = try mine.startNext(owner)
        #expect(try !look { _ in false }.mayWait, "what was taken does not wait")
        var end = attempt.completed()
        end.entersCache = true
        _ = try mine.write(.settle(end))
        let answered = try look { _ in false }
        #expect(!answered.mayWait && answered.touchesAnswers && answered.isComplete)
    }

    @Test("A claim is reported with its flights, and an empty claim is no commit")
    func claim() throws {
        let owner = try mine.register()
        #expect(try look().isEmpty, "a registration concerns no row")
        let claimed = try mine.claimOne(owner)
        #expect(try summary() == Array(rows(1, .pending)[..<2]))
        #expect(try mine.lifecycle(claimed.id).state == .leased(owner))
        #expect(try mine.claim(owner).isEmpty)
        #expect(try look().isEmpty)
        #expect(try count() == 3, "two submissions and a claim")
    }

    /// Makes more commits than the log keeps.
    private func fillLog(by bench: StoreWorkbench) throws {
        for _ in 0...(CommitLog.keptCount / 2 + CommitLog.trimInterval) {
            for write in [
                StoreWrite.cancel(StoreWorkbench.id(1), at: StoreWorkbench.date(2)),
                .retry(StoreWorkbench.id(1), at: StoreWorkbench.date(2)),
            ] { #expect(try !bench.changes(of: write).isEmpty) }
        }
    }

    private func count() throws -> Int? {
        try mine.submit(50)
        return try sqlite.store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM commits") }
    }

    @Test("The log keeps about a thousand commits, and a store that missed more gets a gap")
    func gap() throws {
        try fillLog(by: mine)
        let kept = try #require(try count())
        #expect(kept >= CommitLog.keptCount && kept <= CommitLog.keptCount + CommitLog.trimInterval)
        let changes = try look()
        #expect(!changes.isComplete && changes.mayWait && changes.touchesAnswers && changes.changes.isEmpty)
        try mine.submit(2)
        #expect(try summary() == rows(2, .pending))
    }

    @Test(
        "A damaged or missing row of the log is reported as a gap",
        arguments: [
            "UPDATE commits SET changes = x'09' WHERE seq = 2", "UPDATE commits SET changes = x'' WHERE seq = 2",
            "DELETE FROM commits WHERE seq = 2", "DELETE FROM commits",
        ])
    func damaged(sql: String) throws {
        for number in 2...4 { try mine.submit(number) }
        try sqlite.store.pool.write { try $0.execute(sql: sql) }
        #expect(try !look().isComplete)
        try mine.submit(5)
        #expect(try summary() == rows(5, .pending))
    }

    @Test("If rows cannot be read, the next read returns the same changes")
    func repeated() throws {
        try mine.submit(2)
        let expected = try rows(2, .pending)
        try sqlite.store.pool.write { try $0.execute(sql: "ALTER TABLE requests RENAME TO hidden") }
        for _ in 1...2 { _ = try serviceError { _ = try look() } }
        try sqlite.store.pool.write { try $0.execute(sql: "ALTER TABLE hidden RENAME TO requests") }
        #expect(try summary() == expected)
        #expect(try look().isEmpty)
    }

    @Test("A failed commit is not in the log")
    func failed() throws {
        try sqlite.store.pool.write { db in
            try db.execute(
                sql: "CREATE TRIGGER refuse BEFORE INSERT ON requests BEGIN SELECT RAISE(ABORT, 'refused'); END")
        }
        _ = try serviceError { try mine.submit(2) }
        try sqlite.store.pool.write { try $0.execute(sql: "DROP TRIGGER refuse") }
        #expect(try look().isEmpty)
        try mine.submit(3)
        #expect(try summary() == rows(3, .pending))
    }

    // MARK: Alone

    private func loggedCommits(_ store: SQLiteStore) throws -> Int {
        try store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM commits") } ?? 0
    }

    #if os(Linux)
    @Test("A store alone on its folder logs nothing, and a second one gets all later commits")
    func alone() throws {
        let sqlite = try SQLiteBench()
        try sqlite.bench.submit(1)
        #expect(try loggedCommits(sqlite.store) == 0)
        var other: SQLiteStore? = try SQLiteStore(directory: sqlite.folder.url)
        try sqlite.bench.submit(2)
        #expect(try loggedCommits(sqlite.store) == 1)
        #expect(try other?.foreignChanges { _ in true }.changes.isEmpty == false)
        other = nil
        try sqlite.bench.submit(3)
        #expect(try loggedCommits(sqlite.store) == 1)
        let later = try SQLiteStore(directory: sqlite.folder.url)
        #expect(try later.foreignChanges { _ in true }.isEmpty)
        #expect(try later.snapshot(of: StoreWorkbench.id(3)) != nil)
    }
    #endif

    @Test("A store does not open during another's commit, which might not be logged")
    func opening() throws {
        let sqlite = try SQLiteBench()
        try sqlite.store.pool.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                let error = #expect(throws: AIServiceError.self) {
                    try SQLiteStore(
                        directory: sqlite.folder.url, configuration: SQLiteStore.Configuration(busyTimeout: 0.05))
                }
                #expect(error?.code == .storageBusy)
                return .rollback
            }
        }
    }
}
