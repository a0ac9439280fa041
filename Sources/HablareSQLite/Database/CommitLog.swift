import Foundation
import GRDB
import Hablare
import HablareStores

/// The log of commits. Each row names the rows that one commit changed. Other processes then read only these rows.
///
/// A commit has no row in the log if other processes do not need its changes, or if no other store was open on the
/// folder. Only the oldest rows are deleted. If numbers are missing, a reader therefore knows that it has missed rows.
struct CommitLog: Sendable {
    /// The minimum number of rows that the log keeps. A process that has missed more rows reads all rows that it
    /// executes or watches.
    static let keptCount: Int64 = 1_000
    /// The number of commits between two deletions of old rows. The larger this number is, the cheaper is the average
    /// commit.
    static let trimInterval: Int64 = 64

    /// The random number of this open store. It distinguishes the commits of this store from the commits of other open
    /// stores, even in the same process.
    let writer: Int64
    /// The position in the log up to which this store knows all changes.
    private(set) var position: Position

    /// A position in the log.
    struct Position: Sendable, Hashable {
        /// SQLite's number for the state of the database. It changes when another connection commits.
        var version: Int64
        /// The number of the last row.
        var seq: Int64
    }

    /// Creates a log whose position is the end of the stored log.
    init(writer: Int64, _ db: Database) throws {
        self.writer = writer
        // Read in this order: a commit in between costs the next check a query and is not reported.
        position = Position(version: try Self.version(of: db), seq: try Self.lastNumber(db))
    }

    // MARK: Writing

    /// Adds a row for a commit, in the commit's transaction. Returns the number of the row. Returns `nil` if other
    /// processes do not need the changes.
    func add(_ record: ChangeRecord, _ db: Database) throws -> Int64? {
        guard !record.isEmpty else { return nil }
        var insert = try BoundStatement(db, "INSERT INTO commits (writer, changes) VALUES (?1, ?2)")
        insert.bind(1, writer)
        insert.bind(2, record.encoded)
        try insert.run()
        let seq = db.lastInsertedRowID
        if seq.isMultiple(of: Self.trimInterval) {
            var delete = try BoundStatement(db, "DELETE FROM commits WHERE seq <= ?1")
            delete.bind(1, seq - Self.keptCount)
            try delete.run()
        }
        return seq
    }

    /// Records that a commit of this store is on disk. If its number directly follows the last known number, no other
    /// process has committed in between.
    mutating func committed(_ seq: Int64?) {
        if seq == position.seq + 1 { position.seq += 1 }
    }

    /// Deletes all rows except the newest row. The newest row stays, so that its number is not used again.
    static func empty(_ db: Database) throws {
        var delete = try BoundStatement(db, "DELETE FROM commits WHERE seq < (SELECT max(seq) FROM commits)")
        try delete.run()
    }

    // MARK: Reading

    /// The commits of other processes after a position in the log.
    struct News: Sendable {
        /// The position after these commits.
        var position: Position
        /// The changed rows that this process executes or watches, without duplicates, in the order of the commits.
        var rows: [ChangedRow] = []
        var mayWait = false
        var touchesAnswers = false
        /// Whether no commit is missing.
        var isComplete = true
    }

    /// Reads the commits of other processes. If there are none, only SQLite's number is read.
    func news(_ db: Database, where isOfInterest: (ChangedRow) -> Bool) throws -> News {
        var news = News(position: position)
        // Read before the rows: a commit in between is read now, and costs the next check a query.
        news.position.version = try Self.version(of: db)
        guard news.position.version != position.version else { return news }
        var known: Set<ChangedRow> = []
        var select = try BoundStatement(db, "SELECT seq, writer, changes FROM commits WHERE seq > ?1 ORDER BY seq")
        select.bind(1, position.seq)
        try select.forEach { row in
            if row.int(0) != news.position.seq + 1 { news.isComplete = false }
            news.position.seq = row.int(0)
            guard row.int(1) != writer else { return }
            guard let record = row.data(2).flatMap(ChangeRecord.init(decoding:)) else {
                return news.isComplete = false
            }
            if record.mayWait { news.mayWait = true }
            if record.touchesAnswers { news.touchesAnswers = true }
            for row in record.rows where !known.contains(row) && isOfInterest(row) {
                known.insert(row)
                news.rows.append(row)
            }
        }
        // Rows that damage removed were missed, and their numbers are used again.
        let last = try Self.lastNumber(db)
        if last < news.position.seq {
            news.position.seq = last
            news.isComplete = false
        }
        return news
    }

    /// Records that all changes up to a position are known.
    mutating func caughtUp(to news: News) {
        let seq = news.isComplete ? max(position.seq, news.position.seq) : news.position.seq
        position = Position(version: news.position.version, seq: seq)
    }

    /// Returns a number that changes when another connection commits.
    private static func version(of db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "PRAGMA data_version") ?? 0
    }

    private static func lastNumber(_ db: Database) throws -> Int64 {
        var last: Int64 = 0
        var select = try BoundStatement(db, "SELECT max(seq) FROM commits")
        try select.forEach { last = $0.optionalInt(0) ?? 0 }
        return last
    }
}
