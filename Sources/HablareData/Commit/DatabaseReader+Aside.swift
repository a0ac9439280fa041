import GRDB
import Hablare

extension DatabaseReader {
    /// Reads without keeping a thread of Swift's concurrency waiting: a queue is held by its writers, and a few such readers
    /// would stop every task of the process.
    ///
    /// With an executor of its own (a simulation has one, and owns its threads) it reads on the calling thread.
    ///
    /// - Throws: What the reading throws; `CancellationError`.
    func readAside<R: Sendable>(
        _ executor: (any TaskExecutor)?, _ value: @escaping @Sendable (Database) throws -> R
    ) async throws -> R {
        guard executor == nil else { return try readHere(value) }
        return try await read(value)
    }

    /// Reads on the calling thread.
    func readHere<R>(_ value: (Database) throws -> R) throws -> R {
        try read(value)
    }
}
