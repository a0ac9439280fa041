import Hablare

/// A model's text as it is made. Leaving the loop, or cancelling the task, ends the reading, not the request.
public struct TextStream: AsyncSequence, Sendable {
    /// What a stream tells.
    public enum Element: Sendable, Hashable {
        /// The next piece: it ends with a whole character's encoding.
        case text(String)
        /// The answer is begun anew: what was read before is void. Only where the request allows restarts.
        case restarted
        /// The answer is complete. The last element.
        case finished(TextRequestor.Output)
    }

    /// Reads.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var elements: ResponseStream.AsyncIterator
        private let requestor: TextRequestor

        init(_ elements: ResponseStream.AsyncIterator, of requestor: TextRequestor) {
            self.elements = elements
            self.requestor = requestor
        }

        /// The next element; `nil` after the last one.
        ///
        /// - Throws: as ``/Hablare/ResponseStream/AsyncIterator/next()`` and ``TextRequestor/output(of:)``.
        public mutating func next() async throws -> Element? {
            switch try await elements.next() {
            case .chunk(let chunk): .text(chunk.text)
            case .restarted: .restarted
            case .completed(let response): .finished(try await requestor.output(of: response))
            case nil: nil
            }
        }
    }

    private let elements: ResponseStream
    private let requestor: TextRequestor

    init(_ elements: ResponseStream, of requestor: TextRequestor) {
        self.elements = elements
        self.requestor = requestor
    }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(elements.makeAsyncIterator(), of: requestor)
    }
}
