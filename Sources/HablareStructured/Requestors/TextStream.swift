import Hablare

/// The text of an answer, as the model writes it. Leaving the loop or cancelling the task ends only the reading. The
/// request continues.
public struct TextStream: AsyncSequence, Sendable {
    /// An event of the stream.
    public enum Element: Sendable, Hashable {
        /// The next piece of text. It never ends inside a character's encoding.
        case text(String)
        /// The answer starts again from the beginning. Discard the text that was read before. This event occurs only if
        /// the request allows restarts.
        case restarted
        /// The answer is complete. This is the last element.
        case finished(TextRequestor.Output)
    }

    /// An iterator over the stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var elements: ResponseStream.AsyncIterator
        private let requestor: TextRequestor

        init(_ elements: ResponseStream.AsyncIterator, of requestor: TextRequestor) {
            self.elements = elements
            self.requestor = requestor
        }

        /// Returns the next element; `nil` after the last element.
        ///
        /// - Throws: The errors of ``/Hablare/ResponseStream/AsyncIterator/next()`` and ``TextRequestor/output(of:)``.
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

    /// Creates an iterator that starts to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(elements.makeAsyncIterator(), of: requestor)
    }
}
