import Hablare

/// The text of an answer, in pieces, while the model writes it. If you leave the loop or cancel the task, only the
/// reading ends. The request continues.
public struct TextStream: AsyncSequence, Sendable {
    /// An event of the stream.
    public enum Element: Sendable, Hashable {
        /// The next piece of text. A piece never ends within a character's encoding.
        case text(String)
        /// The answer begins again from its start. Discard the text that you have read. This event occurs only if the
        /// request allows restarts.
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

        /// Returns the next element, or `nil` after the last element.
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

    /// Creates an iterator that reads the stream.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(elements.makeAsyncIterator(), of: requestor)
    }
}
