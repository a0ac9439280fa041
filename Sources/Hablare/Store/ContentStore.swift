public import Foundation

/// Keeps large content outside the database.
public protocol ContentStore: ContentReading {
    /// From how many bytes on content of a type is kept here.
    func threshold(for type: ContentType) -> Int

    /// Makes bytes durable and answers with their reference. The same bytes are kept once.
    ///
    /// Does not block the calling actor. Cancelling the task does not stop the write.
    ///
    /// - Throws: ``AIServiceError`` of category storage; nothing is left behind then.
    func put(_ data: Data) async throws -> ContentReference

    /// Begins to keep content that comes piece by piece. Default: a writer that holds it in memory until its end.
    func makeWriter() -> any ContentWriter
}

/// Keeps content that comes piece by piece. One piece after the other: the next call follows the last one's return.
public protocol ContentWriter: Sendable {
    /// Adds a piece. Does not block the calling actor. Cancelling the task does not stop the write.
    ///
    /// - Throws: ``AIServiceError`` of category storage; the content cannot be finished then.
    func write(_ piece: Data) async throws

    /// Makes what was written durable and answers with its reference. The last call.
    ///
    /// - Throws: ``AIServiceError`` of category storage; nothing is left behind then.
    func finish() async throws -> ContentReference

    /// Gives up what was written. The last call.
    func abandon() async
}

extension ContentStore {
    /// A writer that holds the content in memory and puts it at its end.
    public func makeWriter() -> any ContentWriter { CollectingWriter(content: self) }
}

private final class CollectingWriter: ContentWriter {
    private let content: any ContentStore
    private let pieces = Guarded(Data())

    init(content: any ContentStore) {
        self.content = content
    }

    func write(_ piece: Data) async { pieces.withLock { $0.append(piece) } }
    func finish() async throws -> ContentReference { try await content.put(pieces.withLock { $0 }) }
    func abandon() async { pieces.withLock { $0 = Data() } }
}

/// Content thresholds in bytes.
public struct ContentThresholds: Sendable, Hashable {
    /// From this size on text is kept in a file. Default 51,200 (50 KiB).
    public var text: Int
    /// From this size on other content is kept in a file. Default 102,400 (100 KiB).
    public var other: Int

    /// Creates thresholds.
    public init(text: Int = 50 * 1024, other: Int = 100 * 1024) {
        self.text = text
        self.other = other
    }
}
