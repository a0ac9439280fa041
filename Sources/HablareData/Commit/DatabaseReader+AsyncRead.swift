import GRDB
import Hablare

extension DatabaseReader {
    /// Reads without blocking a thread of Swift's concurrency. Writers hold a database queue, so a few blocked readers
    /// would stop every task of the process.
    ///
    /// With a given executor it reads on the calling thread, because a simulation owns its threads.
    ///
    /// - Throws: The error of the closure; `CancellationError`.
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
