import GRDB

/// An async sequence of the results of a read, with an element now and after each change of the data.
/// `AppDatabase.values` returns it.
///
/// Each loop over the sequence is a separate observation. The observation begins with the loop. It ends when the loop
/// ends, when the task is cancelled, or when a read fails. It keeps the database open.
public struct DatabaseValues<Element: Sendable>: AsyncSequence, Sendable {
    /// The error type of a read.
    public typealias Failure = any Error

    /// A closure that starts an observation and returns an object that can cancel the observation. The closure does not
    /// keep the writer alive, because the thread that releases the writer last also closes it.
    typealias Start =
        @Sendable (
            _ writer: any DatabaseWriter, _ onError: @escaping @Sendable (any Error) -> Void,
            _ onChange: @escaping @Sendable (Element) -> Void
        ) -> AnyDatabaseCancellable

    private let database: AppDatabase
    private let start: Start

    init(of database: AppDatabase, start: @escaping Start) {
        self.database = database
        self.start = start
    }

    /// Starts an observation.
    public func makeAsyncIterator() -> Iterator {
        // A reader that is slower than the changes wants the newest state, not every state.
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(1))
        let observation = start(database.writer, { continuation.finish(throwing: $0) }, { continuation.yield($0) })
        continuation.onTermination = { _ in observation.cancel() }
        return Iterator(base: stream.makeAsyncIterator(), database: database)
    }

    /// An iterator that waits for one value after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncThrowingStream<Element, any Error>.AsyncIterator
        /// The database. The loop keeps it alive, because it holds the watcher for commits of other processes.
        fileprivate let database: AppDatabase
        /// Whether the loop has thrown an error. Without this flag, the stream could throw its error a second time.
        private var isOver = false

        fileprivate init(base: AsyncThrowingStream<Element, any Error>.AsyncIterator, database: AppDatabase) {
            self.base = base
            self.database = database
        }

        /// Returns the next value. Returns `nil` if the task was cancelled.
        ///
        /// - Throws: The error of the read. The sequence then ends.
        public mutating func next() async throws -> Element? { try await next(isolation: #isolation) }

        /// Returns the next value on the caller's actor. Returns `nil` if the task was cancelled.
        ///
        /// - Throws: The error of the read. The sequence then ends.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(any Error) -> Element? {
            guard !isOver else { return nil }
            do {
                return try await base.next(isolation: actor)
            } catch {
                isOver = true
                throw error
            }
        }
    }
}
