import DequeModule
import Foundation

/// A reader of a stream. While the reader is fast enough, it takes chunks from the attempt that streams in this
/// process. Otherwise it reads chunks from the store. If there are no new chunks, it waits.
final class StreamReader {
    /// The approximate number of bytes read at once.
    private static let pageBytes = 64 << 10

    private let manager: AIRequestManager
    private let id: UUID
    private let number: Int
    private let waker: StreamWaker
    private var cursor: StreamCursor
    private var flight: FlightID?
    private var source: FlightID?
    private var elements: Deque<StreamElement> = []
    /// An answer that was not streamed. It is cut into chunks for this reader.
    private var whole: (answer: WholeAnswer, response: AIResponseData)?
    /// Whether the reader must read the store first, because the request's flight or status may have changed.
    private var mustLookAtStore = true
    private var isOver = false

    init(_ manager: AIRequestManager, _ id: UUID, from position: StreamPosition) {
        self.manager = manager
        self.id = id
        cursor = StreamCursor(at: position)
        (number, waker) = manager.engine.readerCame(for: id)
    }

    deinit {
        manager.engine.readerLeft(number)
    }

    func next() async throws -> StreamElement? {
        if let element = elements.popFirst() { return element }
        guard !isOver else { return nil }
        do {
            try Task.checkCancellation()
            try await read()
            return elements.popFirst()
        } catch {
            isOver = true
            throw error
        }
    }

    private func read() async throws {
        while elements.isEmpty, !isOver {
            if let whole {
                try await read(whole)
            } else if !mustLookAtStore, let live = flight.flatMap(manager.engine.chunks.live) {
                try await read(live)
            } else {
                try await readStore()
            }
        }
    }

    private func read(_ live: AttemptStream) async throws {
        switch live.read(from: cursor.position, maximumBytes: Self.pageBytes) {
        case (let generation, .chunks(let chunks)): try found(chunks, of: generation, in: live.flight)
        case (_, .behind): mustLookAtStore = true
        case (_, .upToDate): try await wait()
        }
    }

    private func readStore() async throws {
        let page = try await manager.journal.read { [id, position = cursor.position] store in
            try store.stream(of: id, from: position, maximumBytes: Self.pageBytes)
        }
        guard let page else { throw await manager.journal.notFound(id) }
        let isNew = flight != page.flight
        flight = page.flight
        let live = manager.engine.chunks.reader(number, follows: page.flight)
        try found(page.chunks, of: page.generation, in: page.flight)
        // The end is looked for only when no chunks are left. A flight that was not followed before may have
        // unannounced chunks, which arrived after the page was read.
        guard page.chunks.isEmpty, !isNew else { return }
        mustLookAtStore = false
        if page.phase.isFinal {
            try await conclude(page)
        } else if live == nil {
            try await wait()
        }
    }

    private func conclude(_ page: StreamPage) async throws {
        let status = try await manager.status(for: id)
        guard status.phase == page.phase else { return mustLookAtStore = true }  // retried meanwhile
        let response = try status.response(of: id)
        if page.isWhole, let answer = WholeAnswer(try response.content) {
            deliver(cursor.found([], of: page.generation))
            whole = (answer, response)
        } else {
            _ = try response.content  // the answer is complete only if it is still stored
            end(with: response)
        }
    }

    private func read(_ whole: (answer: WholeAnswer, response: AIResponseData)) async throws {
        let position = cursor.position
        let bytes = try await manager.journal.read { _ in try whole.answer.chunk(position.sequence) }
        guard let bytes else { return end(with: whole.response) }
        deliver(cursor.found([StreamChunk(position: position, bytes: bytes)], of: position.generation))
    }

    private func wait() async throws {
        if try await waker.wait() == .status { mustLookAtStore = true }
    }

    /// Accepts chunks of a generation (the answer as generated once from its start).
    ///
    /// A retried request may get a new flight. The new flight continues to count generations where the old flight
    /// ended. If the new flight begins with generation 1, the request was deleted and its UUID was submitted again. The
    /// chunks that were already read then belong to a different answer, and the reader throws.
    private func found(_ chunks: [StreamChunk], of generation: Int, in flight: FlightID) throws {
        if generation > 0 {
            if let source, source != flight, generation <= cursor.position.generation {
                throw AIServiceError.unknown(id)
            }
            source = flight
        }
        deliver(cursor.found(chunks, of: generation))
    }

    private func deliver(_ new: [StreamElement]) {
        elements.append(contentsOf: new)
    }

    private func end(with response: AIResponseData) {
        elements.append(.completed(response))
        isOver = true
    }
}
