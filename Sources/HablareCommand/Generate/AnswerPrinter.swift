import Foundation
import Hablare
import HablareSupport

/// A printer of a request's answer to standard output. It prints each chunk once, whether the chunk comes live or from
/// the store.
final class AnswerPrinter: Sendable {
    private static let pageBytes = 64 << 10

    private let id: UUID
    private let console: Console
    private let cursor: Locked<StreamCursor>
    private let first: Int
    private let asLines: Bool
    private let admits: @Sendable (StreamChunk) throws -> Void
    private struct Taken: Sendable {
        /// The position in the newest generation of the answer up to which the reader has received every chunk. A
        /// generation is one version of the answer: if the answer begins again, a new generation begins.
        var taken: Int
        var hasSome = false
        var isRestarted = false
    }
    private let output: Locked<Taken>

    /// - Parameters:
    ///   - asLines: Whether to print each chunk as a line of ``JSONLines``. Default: the bytes of the chunk are
    ///     printed.
    ///   - admits: A closure that is called with the first chunk before it is printed. If it throws an error, nothing
    ///     is printed.
    init(
        of id: UUID, from first: Int = 0, to console: Console, asLines: Bool = false,
        admits: @escaping @Sendable (StreamChunk) throws -> Void = { _ in }
    ) {
        self.id = id
        self.admits = admits
        self.asLines = asLines
        self.console = console
        self.first = first
        output = Locked(Taken(taken: first))
        cursor = Locked(StreamCursor(at: StreamPosition(sequence: first)))
    }

    var next: Int { cursor.withLock { $0.position.sequence } }

    private var isRestarted: Bool { output.withLock { $0.isRestarted } }

    var hasPrinted: Bool { output.withLock { $0.hasSome } }

    /// The number of the first chunk that the reader may not have taken.
    var printed: Int { output.withLock { $0.taken } }

    /// Returns the exit status of a complete answer. If a part of an earlier attempt was printed before the answer, the
    /// status is not success, because a program that reads the output cannot find where the answer begins.
    func endStatus(_ data: DataOptions) -> CommandStatus {
        guard isRestarted, !asLines, !console.terminal.isOutputTerminal else { return .success }
        console.note(
            """
            hablare: The output contains an abandoned attempt before the answer. To print the answer alone: \
            \(data.commandLine("stream", id.text))
            """)
        return .restarted
    }

    /// Skips a generation of the answer and all earlier generations. Call this method before anything is printed.
    func passOver(_ generation: Int) {
        cursor.withLock { $0 = StreamCursor(at: StreamPosition(generation: generation + 1, sequence: 0)) }
    }

    func print(_ chunks: [StreamChunk], of generation: Int) async throws {
        // One by one: if the task is cancelled, the position is after the chunk that waits for its reader.
        for chunk in [[]] + chunks.map({ [$0] }) {
            for element in cursor.withLock({ $0.found(chunk, of: generation) }) {
                switch element {
                case .chunk(let chunk):
                    if !hasPrinted { try admits(chunk) }
                    output.withLock { $0.hasSome = true }
                    try await console.write(asLines ? try JSONLines.line(of: chunk) : chunk.bytes)
                    output.withLock { $0.taken = chunk.position.sequence + 1 }
                case .restarted:
                    // If nothing was printed, as with --from, no abandoned part precedes the answer.
                    output.withLock {
                        $0 = Taken(taken: 0, hasSome: $0.hasSome, isRestarted: $0.isRestarted || $0.hasSome)
                    }
                    if asLines { try await console.write(try JSONLines.restart()) }
                    console.note("The answer begins again:")
                case .completed: continue
                }
            }
        }
    }

    /// Prints the stored chunks that were not printed yet. Returns `nil` if there is no such request.
    func printRemainder(in store: any StoreReading) async throws -> StreamPage? {
        while true {
            let position = cursor.withLock { $0.position }
            guard let page = try store.stream(of: id, from: position, maximumBytes: Self.pageBytes) else { return nil }
            try await print(page.chunks, of: page.generation)
            guard page.chunks.isEmpty else { continue }
            if page.phase == .completed, page.isWhole { try await printWhole(of: page.generation, in: store) }
            return page
        }
    }

    /// Returns the number of chunks of an answer that was printed completely. If this is less than the number of the
    /// first chunk to print, that chunk does not exist.
    func count(in store: any StoreReading) throws -> Int {
        let next = next
        // Chunks that were printed, or requested from the beginning, are already counted.
        guard next == first, next > 0, !hasPrinted else { return next }
        let content = try store.response(of: id)?.content
        let answer = try content.flatMap { WholeAnswer(try $0.printable) }
        var count = 0
        while count < next {
            let position = StreamPosition(generation: cursor.withLock { $0.position.generation }, sequence: count)
            guard let page = try store.stream(of: id, from: position, maximumBytes: Self.pageBytes) else { break }
            if let last = page.chunks.last {
                count = last.position.sequence + 1
            } else if page.isWhole, try answer?.chunk(count) != nil {
                count += 1
            } else {
                break
            }
        }
        return count
    }

    /// Prints an answer that arrived in one piece. A vector or a JSON value is printed as JSON.
    private func printWhole(of generation: Int, in store: any StoreReading) async throws {
        guard let content = try store.response(of: id)?.content, let answer = WholeAnswer(try content.printable)
        else { return }
        while let bytes = try answer.chunk(next) {
            let position = StreamPosition(generation: max(1, generation), sequence: next)
            try await print([StreamChunk(position: position, bytes: bytes)], of: position.generation)
        }
    }
}
