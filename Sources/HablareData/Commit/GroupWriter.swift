import GRDB
import Hablare
import HablareSupport

/// A writer that groups writes to the app's database. Writes that arrive during a transaction share the next
/// transaction. So a thousand small writes need only a few disk syncs.
///
/// No write waits for a group to fill. Writes run in the order in which they arrived. If a write fails, the others
/// still succeed: the transaction runs again, with a savepoint around each write. If that transaction cannot be
/// committed, each write runs in a separate transaction. So a write may run three times, and must change only the given
/// database.
final class GroupWriter: Sendable {
    /// The maximum number of writes in one transaction. A larger transaction would block the app's own writes for too
    /// long.
    static let maximumGroup = 1024

    /// One write, and the caller that waits for it.
    fileprivate struct Entry: Sendable {
        /// A closure that runs the write. It returns a closure that answers the caller after the commit.
        let run: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    /// The part of the writer that the driver uses to run the writes. It is separate, so that the driver does not keep
    /// the writer alive.
    fileprivate final class Core: Sendable {
        let database: any DatabaseWriter
        let pending = Locked<[Entry]>([])

        init(_ database: any DatabaseWriter) { self.database = database }
    }

    private let core: Core
    private let driver: any CommitDriver

    /// Creates a writer and starts its driver. The driver runs every transaction.
    init(_ database: any DatabaseWriter, driver: any CommitDriver) {
        let core = Core(database)
        self.core = core
        self.driver = driver
        driver.start { core.drain() }
    }

    deinit {
        driver.stop()
    }

    /// Runs a write. When the method returns, the write is committed.
    ///
    /// The method cannot be cancelled. A write that was passed to the database may be on disk the next moment, so the
    /// caller must learn the outcome.
    ///
    /// - Throws: The write's error, or the database's error if the transaction cannot be committed.
    func write<R: Sendable>(_ work: @escaping @Sendable (Database) throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            enqueue([
                Entry(
                    run: { database in
                        let result = try work(database)
                        return { continuation.resume(returning: result) }
                    },
                    fail: { continuation.resume(throwing: $0) })
            ])
        }
    }

    /// Runs several writes, each with its own outcome. A transaction contains up to ``maximumGroup`` of them.
    func write<R: Sendable>(all works: [@Sendable (Database) throws -> R]) async -> [Result<R, any Error>] {
        guard !works.isEmpty else { return [] }
        return await withCheckedContinuation { continuation in
            let results = Collected<R>(works.count, continuation)
            enqueue(
                works.enumerated().map { index, work in
                    Entry(
                        run: { database in
                            let result = try work(database)
                            return { results.ended(index, .success(result)) }
                        },
                        fail: { results.ended(index, .failure($0)) })
                })
        }
    }

    private func enqueue(_ entries: [Entry]) {
        let wasEmpty = core.pending.withLock { pending in
            defer { pending += entries }
            return pending.isEmpty
        }
        if wasEmpty { driver.signal() }
    }
}

extension GroupWriter {
    /// A collector of the outcomes of several writes. It waits for the last outcome.
    private final class Collected<R: Sendable>: Sendable {
        private struct State: Sendable {
            var results: [Result<R, any Error>?]
            var missing: Int
        }

        private let state: Locked<State>
        private let continuation: CheckedContinuation<[Result<R, any Error>], Never>

        init(_ count: Int, _ continuation: CheckedContinuation<[Result<R, any Error>], Never>) {
            state = Locked(State(results: Array(repeating: nil, count: count), missing: count))
            self.continuation = continuation
        }

        func ended(_ index: Int, _ result: Result<R, any Error>) {
            let all: [Result<R, any Error>]? = state.withLock { state in
                state.results[index] = result
                state.missing -= 1
                return state.missing == 0 ? state.results.compactMap(\.self) : nil
            }
            if let all { continuation.resume(returning: all) }
        }
    }
}

extension GroupWriter.Core {
    /// Commits all waiting writes. Runs on the driver.
    fileprivate func drain() {
        while true {
            let entries = pending.withLock { pending in
                defer { pending.removeAll(keepingCapacity: pending.count <= GroupWriter.maximumGroup) }
                return pending
            }
            guard !entries.isEmpty else { return }
            var remainder = entries[...]
            while !remainder.isEmpty {
                commit(remainder.prefix(GroupWriter.maximumGroup))
                remainder = remainder.dropFirst(GroupWriter.maximumGroup)
            }
        }
    }

    /// Runs a group of writes without savepoints, because failures are rare and a savepoint costs as much as a small
    /// write.
    private func commit(_ entries: ArraySlice<GroupWriter.Entry>) {
        do {
            let deliveries = try database.write { database in try entries.map { try $0.run(database) } }
            for deliver in deliveries { deliver() }
        } catch {
            if entries.count > 1 { return commitEach(entries) }
            for entry in entries { entry.fail(error) }
        }
    }

    /// Runs a group of writes in one transaction again. Rolls back only the writes that fail.
    private func commitEach(_ entries: ArraySlice<GroupWriter.Entry>) {
        do {
            let outcomes = try database.write { database in
                entries.map { entry in Self.attempt(entry, in: database) }
            }
            for (entry, outcome) in zip(entries, outcomes) {
                switch outcome {
                case .success(let deliver): deliver()
                case .failure(let error): entry.fail(error)
                }
            }
        } catch {
            // The commit checks deferred constraints after every savepoint, and a full disk may roll back everything.
            for entry in entries { commitAlone(entry) }
        }
    }

    /// Runs a write in a separate transaction. It is used if a commit failed and it is unknown which write caused the
    /// failure.
    private func commitAlone(_ entry: GroupWriter.Entry) {
        do {
            let deliver = try database.write { try entry.run($0) }
            deliver()
        } catch {
            entry.fail(error)
        }
    }

    private static func attempt(
        _ entry: GroupWriter.Entry, in database: Database
    ) -> Result<@Sendable () -> Void, any Error> {
        do {
            var deliver: @Sendable () -> Void = {}
            try database.inSavepoint {
                deliver = try entry.run(database)
                return .commit
            }
            return .success(deliver)
        } catch {
            return .failure(error)
        }
    }
}
