import GRDB

/// What is read from a database, now and after each change of it: what `AppDatabase.values` gives.
///
/// Each loop over it is an observation of its own. It begins with the loop and ends when the loop does, when its task is
/// cancelled, or with the error of a read that fails. It keeps the database open.
public struct DatabaseValues<Element: Sendable>: AsyncSequence, Sendable {
    /// What a read of it throws.
    public typealias Failure = any Error

    /// Starts an observation; what it gives ends it. It does not hold the writer, which closes where it was held last.
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

    /// Starts to observe.
    public func makeAsyncIterator() -> Iterator {
        // A reader that is slower than the changes wants the newest state, and not all there ever were.
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(1))
        let observation = start(database.writer, { continuation.finish(throwing: $0) }, { continuation.yield($0) })
        continuation.onTermination = { _ in observation.cancel() }
        return Iterator(base: stream.makeAsyncIterator(), database: database)
    }

    /// Gives value after value.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncThrowingStream<Element, any Error>.AsyncIterator
        /// What notices other processes must live as long as somebody listens.
        fileprivate let database: AppDatabase
        /// A stream may throw its error again.
        private var isOver = false

        fileprivate init(base: AsyncThrowingStream<Element, any Error>.AsyncIterator, database: AppDatabase) {
            self.base = base
            self.database = database
        }

        /// The next value; `nil` when the task was cancelled.
        ///
        /// - Throws: What the read threw. Nothing comes after.
        public mutating func next() async throws -> Element? { try await next(isolation: #isolation) }

        /// The next value, on the caller's actor; `nil` when the task was cancelled.
        ///
        /// - Throws: What the read threw. Nothing comes after.
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
