public import Foundation

/// The body of an answer. One reader can read its pieces once, as they arrive.
///
/// If the reader is slow, the server has to wait, because the transport does not fetch far ahead. Reading throws
/// ``HTTPFailure``. If the task is cancelled, reading throws `CancellationError`, and the transfer ends.
public struct HTTPPieces: AsyncSequence, Sendable {
    /// A piece of the body.
    public typealias Element = Data

    private let begin: @Sendable () -> Iterator

    /// Creates a body from any sequence of pieces.
    public init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces) where Pieces.Element == Data {
        begin = {
            var iterator = pieces.makeAsyncIterator()
            return Iterator { try await iterator.next(isolation: #isolation) }
        }
    }

    /// Creates a body from pieces in memory, for tests and recordings.
    public init(_ pieces: [Data]) {
        begin = {
            var remainder = pieces[...]
            return Iterator { remainder.popFirst() }
        }
    }

    /// Creates a body from a closure. The closure returns the next piece, and `nil` at the end.
    package init(_ next: @escaping @Sendable () async throws -> Data?) { begin = { Iterator(next) } }

    /// Starts reading.
    public func makeAsyncIterator() -> Iterator { begin() }

    /// An iterator over the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        private let step: () async throws -> Data?

        fileprivate init(_ step: @escaping () async throws -> Data?) { self.step = step }

        /// Returns the next piece, which may be empty; `nil` at the end.
        public mutating func next() async throws -> Data? { try await step() }

        /// Returns the next piece, for a caller on any actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> Data? { try await step() }
    }
}
