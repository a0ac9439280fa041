public import Foundation

/// The body of an answer, piece by piece as it arrives. To be read once, by one reader.
///
/// A slow reader slows the server down: nothing is fetched far ahead of it. Reading fails with ``HTTPFailure``, or with
/// `CancellationError` when the task is cancelled, which also ends the transfer.
public struct HTTPPieces: AsyncSequence, Sendable {
    /// A piece.
    public typealias Element = Data

    private let begin: @Sendable () -> Iterator

    /// Makes a body of any sequence of pieces.
    public init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces) where Pieces.Element == Data {
        begin = {
            var iterator = pieces.makeAsyncIterator()
            return Iterator { try await iterator.next(isolation: #isolation) }
        }
    }

    /// Makes a body of pieces that are here, for tests and recordings.
    public init(_ pieces: [Data]) {
        begin = {
            var rest = pieces[...]
            return Iterator { rest.popFirst() }
        }
    }

    /// Makes a body of a function that gives the next piece, and `nil` at the end.
    init(_ next: @escaping @Sendable () async throws -> Data?) { begin = { Iterator(next) } }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { begin() }

    /// Reads one piece after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let step: () async throws -> Data?

        fileprivate init(_ step: @escaping () async throws -> Data?) { self.step = step }

        /// The next piece, never empty of meaning but possibly of bytes; `nil` at the end.
        public mutating func next() async throws -> Data? { try await step() }

        /// The next piece, for a caller on any actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> Data? { try await step() }
    }
}
