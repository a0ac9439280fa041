import Foundation
import GRDB
import HablareFiles
import HablareTestFiles
import Synchronization
import Testing

@testable import HablarePersistence

/// SQLite treats another connection like another process. The integration tests use real processes.
@Suite("Changes by other processes", .timeLimit(.minutes(2))) struct OtherProcessesTests {
    private let folder: TemporaryFolder
    private let file: URL

    init() throws {
        folder = try TemporaryFolder()
        file = Notes.file(in: folder)
    }

    @Test("A change by another process is observed")
    func observed() async throws {
        let database = try AppDatabase(at: file, migrator: Notes.migrator)
        let other = try AppDatabase(at: file, migrator: Notes.migrator, options: .init(noticesOtherProcesses: false))
        var titles = database.values { try String.fetchAll($0, sql: "SELECT title FROM note ORDER BY id") }
            .makeAsyncIterator()
        #expect(try await titles.next() == [])
        for number in 1...5 {
            try other.add("\(number)")
            #expect(try await titles.next() == (1...number).map { "\($0)" })
        }
        // Both write, and each write is observed.
        try database.add("own")
        #expect(try await titles.next()?.last == "own")
        try other.add("theirs")
        #expect(try await titles.next()?.last == "theirs")
    }

    @Test("A change by another process is observed by polling if the kernel reports none")
    func looking() async throws {
        let pool = try DatabasePool(path: file.path)
        try Notes.migrator.migrate(pool)
        let others = try OtherProcesses(pool, method: .looking)
        let notices = Notices()
        pool.add(transactionObserver: notices, extent: .databaseLifetime)
        let other = try DatabaseQueue(path: file.path)
        for _ in 0..<2 {
            try await other.write { try $0.execute(sql: "INSERT INTO note (title) VALUES ('theirs')") }
            await notices.next()
        }
        withExtendedLifetime(others) {}
    }

    @Test("Each foreign commit is notified once, and an own commit or a notice never")
    func told() async throws {
        let database = try AppDatabase(at: file, migrator: Notes.migrator)
        let other = try DatabaseQueue(path: file.path)
        let notices = Notices()
        database.writer.add(transactionObserver: notices, extent: .databaseLifetime)
        for round in 1...5 {
            for number in 0..<20 { try database.add("own \(number)") }
            try await other.write { try $0.execute(sql: "INSERT INTO note (title) VALUES ('theirs')") }
            // The checks run on one thread in order, so those for the own commits are done.
            await notices.next()
            #expect(notices.count.all.count == round)
        }
        for number in 0..<20 { try database.add("own \(number)") }
        try await other.write { try $0.execute(sql: "DELETE FROM note WHERE title = 'theirs'") }
        await notices.next()
        #expect(notices.count.all.count == 6)
    }

    @Test("A foreign change is notified even after repeated failures, without another write")
    func failing() async throws {
        let pool = try DatabasePool(path: file.path)
        try Notes.migrator.migrate(pool)
        let (refusals, notices) = (Refusals(20), Notices())
        pool.add(transactionObserver: refusals, extent: .databaseLifetime)
        pool.add(transactionObserver: notices, extent: .databaseLifetime)
        let others = try OtherProcesses(pool, echoes: [1])
        let other = try DatabaseQueue(path: file.path)
        try await other.write { try $0.execute(sql: "INSERT INTO note (title) VALUES ('theirs')") }
        while !refusals.areOver { await Task.yield() }
        while notices.commits.all.isEmpty { await Task.yield() }
        withExtendedLifetime(others) {}
    }

    @Test("Foreign changes are not notified if that is switched off")
    func unwanted() async throws {
        let database = try AppDatabase(at: file, migrator: Notes.migrator, options: .init(noticesOtherProcesses: false))
        let other = try DatabaseQueue(path: file.path)
        let notices = Notices()
        database.writer.add(transactionObserver: notices, extent: .databaseLifetime)
        var counts = database.values { try Note.fetchCount($0) }.makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try await other.write { try $0.execute(sql: "INSERT INTO note (title) VALUES ('theirs')") }
        try database.add("own")
        // An observation that starts may read twice, and see foreign writes the second time.
        var count = try await counts.next()
        if count == 1 { count = try await counts.next() }
        #expect(count == 2)
        #expect(notices.count.all.isEmpty)
    }

    @Test("The observer of other processes does not keep a released database open")
    func letGo() async throws {
        weak var pool: DatabasePool?
        do {
            let database = try AppDatabase(at: file, migrator: Notes.migrator)
            pool = database.writer as? DatabasePool
            #expect(pool != nil)
        }
        // A check may hold it for a moment.
        while pool != nil { await Task.yield() }
    }
}

/// Lets some commits fail.
private final class Refusals: TransactionObserver, Sendable {
    struct Refused: Error {}
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    var areOver: Bool { left.load(ordering: .relaxed) <= 0 }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange() {}
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws {
        if left.subtract(1, ordering: .relaxed).oldValue > 0 { throw Refused() }
    }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}

/// Counts the notices of foreign changes.
private final class Notices: TransactionObserver, Sendable {
    let count = Answers()
    let commits = Answers()
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: Void.self) }

    /// Waits for the next notice.
    func next() async {
        for await _ in stream { break }
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange() {
        count.add(true)
        continuation.yield()
    }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { commits.add(true) }
    func databaseDidRollback(_ db: Database) {}
}
