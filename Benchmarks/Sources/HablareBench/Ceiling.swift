import Dispatch
import Foundation
import GRDB
import Hablare
import Synchronization

/// What this machine can do at all: the bare probe that every rate of the engine is compared with.
///
/// An actor, a queue behind a mutex, one writer thread with group commit, cached statements; insert, attempt, and
/// completion with response for each request, each durable before the next. No leases, fingerprints, lanes, timeouts,
/// observers, ledger or recovery: nothing an engine is for.
actor Ceiling {
    private enum Write: Sendable {
        case insert(UUID, String)
        case attempt(UUID)
        case complete(UUID, String)
    }

    private typealias Entry = (write: Write, waiter: CheckedContinuation<Void, any Error>)

    private final class Writer: Sendable {
        let queue: DatabaseQueue
        let pending = Mutex<[Entry]>([])
        let wakeUp = DispatchSemaphore(value: 0)
        let isStopped = Mutex(false)

        init(_ queue: DatabaseQueue) { self.queue = queue }

        func write(_ write: Write) async throws {
            try await withCheckedThrowingContinuation { continuation in
                let wasEmpty = pending.withLock { pending in
                    pending.append((write, continuation))
                    return pending.count == 1
                }
                if wasEmpty { wakeUp.signal() }
            }
        }

        func run() {
            while true {
                wakeUp.wait()
                if isStopped.withLock({ $0 }) { return }
                while true {
                    let batch = pending.withLock { pending in
                        defer { pending = [] }
                        return pending
                    }
                    guard !batch.isEmpty else { break }
                    do {
                        try queue.write { db in for entry in batch { try Self.apply(entry.write, db) } }
                        for entry in batch { entry.waiter.resume() }
                    } catch {
                        for entry in batch { entry.waiter.resume(throwing: error) }
                    }
                }
            }
        }

        private static func apply(_ write: Write, _ db: Database) throws {
            switch write {
            case .insert(let id, let prompt):
                let insert = try db.cachedStatement(sql: "INSERT INTO requests (id, state, prompt) VALUES (?, 0, ?)")
                try insert.execute(arguments: [bytes(id), prompt])
            case .attempt(let id):
                let update = try db.cachedStatement(sql: "UPDATE requests SET state = 1, attempt = 1 WHERE id = ?")
                try update.execute(arguments: [bytes(id)])
            case .complete(let id, let text):
                let update = try db.cachedStatement(sql: "UPDATE requests SET state = 2 WHERE id = ?")
                try update.execute(arguments: [bytes(id)])
                let insert = try db.cachedStatement(sql: "INSERT INTO responses (id, body) VALUES (?, ?)")
                try insert.execute(arguments: [bytes(id), text])
            }
        }

        private static func bytes(_ id: UUID) -> Data { withUnsafeBytes(of: id.uuid) { Data($0) } }
    }

    private let writer: Writer
    private var completed = 0

    init(file: URL) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        let queue = try DatabaseQueue(path: file.path, configuration: configuration)
        try queue.writeWithoutTransaction { db in
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            try db.execute(
                sql: """
                    CREATE TABLE requests (
                        id BLOB PRIMARY KEY, state INTEGER NOT NULL, attempt INTEGER, prompt TEXT NOT NULL
                    ) WITHOUT ROWID;
                    CREATE INDEX runnable ON requests (id) WHERE state = 0;
                    CREATE TABLE responses (id BLOB PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
                    """)
        }
        let writer = Writer(queue)
        self.writer = writer
        let thread = Thread { writer.run() }
        thread.start()
    }

    deinit {
        writer.isStopped.withLock { $0 = true }
        writer.wakeUp.signal()
    }

    /// One request's life: stored, attempted, completed.
    func lifecycle(_ prompt: String) async throws {
        let id = UUID.timeOrdered()
        try await writer.write(.insert(id, prompt))
        try await writer.write(.attempt(id))
        try await writer.write(.complete(id, prompt))
        completed += 1
    }
}
