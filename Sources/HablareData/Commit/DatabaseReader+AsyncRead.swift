import GRDB
import Hablare

extension DatabaseReader {
    /// Reads without blocking a thread of Swift's concurrency. The reason: a writer may hold a database queue for long,
    /// and a few blocked readers would then stop every task of the process.
    ///
    /// If an executor is given, the method reads on the calling thread, because a simulation controls its own threads.
    ///
    /// - Throws: The error of the closure. `CancellationError` if the task is cancelled.
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
