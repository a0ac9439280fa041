import GRDB
import Hablare

/// Writes the app's database in groups: what arrives while one transaction runs goes into the next one together, so that
/// a thousand small writes cost a few disk syncs.
///
/// Nobody sleeps to fill a group. Writes are done in the order in which they arrived. Each fails alone: where one does,
/// the transaction is done again with a savepoint around each of them, and where it cannot be committed then, each of them in
/// one of its own. So a write may run three times, and must touch nothing but the database it is given.
final class GroupWriter: Sendable {
    /// The most writes of one transaction, so that a huge batch does not hold up the app's own writes for long.
    static let maximumGroup = 1024

    /// One write and who waits for it.
    fileprivate struct Entry: Sendable {
        /// Does the write; answers with what tells the one who waits, once it is committed.
        let run: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    /// What the drain needs, apart from the writer so that the driver does not keep it alive.
    fileprivate final class Core: Sendable {
        let database: any DatabaseWriter
        let pending = Guarded<[Entry]>([])

        init(_ database: any DatabaseWriter) { self.database = database }
    }

    private let core: Core
    private let driver: any CommitDriver

    /// Starts the driver, on which every transaction runs.
    init(_ database: any DatabaseWriter, driver: any CommitDriver) {
        let core = Core(database)
        self.core = core
        self.driver = driver
        driver.start { core.drain() }
    }

    deinit {
        driver.stop()
    }

    /// Does a write; on return it is as durable as the database makes it.
    ///
    /// Not cancellable: what was handed over may be on disk the next moment, so the caller has to know.
    ///
    /// - Throws: What the write throws, or the database's error where the transaction cannot be committed.
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

    /// Does several writes, each with an outcome of its own, in as few transactions as possible: one, up to
    /// ``maximumGroup``.
    func write<R: Sendable>(all works: [@Sendable (Database) throws -> R]) async -> [Result<R, any Error>] {
        guard !works.isEmpty else { return [] }
        return await withCheckedContinuation { continuation in
            let results = Collected<R>(works.count, continuation)
            enqueue(
                works.enumerated().map { place, work in
                    Entry(
                        run: { database in
                            let result = try work(database)
                            return { results.ended(place, .success(result)) }
                        },
                        fail: { results.ended(place, .failure($0)) })
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
    /// The outcomes of several writes, until the last is there.
    private final class Collected<R: Sendable>: Sendable {
        private struct State: Sendable {
            var results: [Result<R, any Error>?]
            var missing: Int
        }

        private let state: Guarded<State>
        private let continuation: CheckedContinuation<[Result<R, any Error>], Never>

        init(_ count: Int, _ continuation: CheckedContinuation<[Result<R, any Error>], Never>) {
            state = Guarded(State(results: Array(repeating: nil, count: count), missing: count))
            self.continuation = continuation
        }

        func ended(_ place: Int, _ result: Result<R, any Error>) {
            let all: [Result<R, any Error>]? = state.withLock { state in
                state.results[place] = result
                state.missing -= 1
                return state.missing == 0 ? state.results.compactMap(\.self) : nil
            }
            if let all { continuation.resume(returning: all) }
        }
    }
}

extension GroupWriter.Core {
    /// Works off what waits. Runs on the driver.
    fileprivate func drain() {
        while true {
            let entries = pending.withLock { pending in
                defer { pending.removeAll(keepingCapacity: pending.count <= GroupWriter.maximumGroup) }
                return pending
            }
            guard !entries.isEmpty else { return }
            var rest = entries[...]
            while !rest.isEmpty {
                commit(rest.prefix(GroupWriter.maximumGroup))
                rest = rest.dropFirst(GroupWriter.maximumGroup)
            }
        }
    }

    /// Without savepoints, because failures are rare and a savepoint costs as much as a small write.
    private func commit(_ entries: ArraySlice<GroupWriter.Entry>) {
        do {
            let told = try database.write { database in try entries.map { try $0.run(database) } }
            for tell in told { tell() }
        } catch {
            if entries.count > 1 { return commitEach(entries) }
            for entry in entries { entry.fail(error) }
        }
    }

    /// One transaction again, in which every write that fails is taken back alone.
    private func commitEach(_ entries: ArraySlice<GroupWriter.Entry>) {
        do {
            let outcomes = try database.write { database in
                entries.map { entry in Self.attempt(entry, in: database) }
            }
            for (entry, outcome) in zip(entries, outcomes) {
                switch outcome {
                case .success(let tell): tell()
                case .failure(let error): entry.fail(error)
                }
            }
        } catch {
            // Deferred constraints are looked at by the commit, after every savepoint, and a full disk may take back all.
            for entry in entries { commitAlone(entry) }
        }
    }

    /// A transaction of its own, where which write keeps the others from being committed cannot be told.
    private func commitAlone(_ entry: GroupWriter.Entry) {
        do {
            let tell = try database.write { try entry.run($0) }
            tell()
        } catch {
            entry.fail(error)
        }
    }

    private static func attempt(
        _ entry: GroupWriter.Entry, in database: Database
    ) -> Result<@Sendable () -> Void, any Error> {
        do {
            var tell: @Sendable () -> Void = {}
            try database.inSavepoint {
                tell = try entry.run(database)
                return .commit
            }
            return .success(tell)
        } catch {
            return .failure(error)
        }
    }
}
