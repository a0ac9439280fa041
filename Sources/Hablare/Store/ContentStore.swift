public import Foundation
import HablareSupport

/// A store of large content outside the database.
public protocol ContentStore: ContentReading {
    /// Returns the minimum size in bytes for content of a type. This content store keeps content of at least this size.
    /// Smaller content is kept in the database.
    func threshold(for type: ContentType) -> Int

    /// Makes bytes durable and returns a reference to them. If the same bytes are stored several times, they are kept
    /// once.
    ///
    /// Does not block the calling actor. Cancelling the task does not stop the writing.
    ///
    /// - Throws: ``AIServiceError`` of category storage. After an error, the store must not contain any part of the
    ///   content.
    func put(_ data: Data) async throws -> ContentReference

    /// Returns a writer of content that arrives in pieces. The default implementation returns a writer that collects
    /// the content in memory.
    func makeWriter() -> any ContentWriter
}

/// A writer of content that arrives in pieces. A caller makes one call after the other.
public protocol ContentWriter: Sendable {
    /// Adds a piece. Does not block the calling actor. Cancelling the task does not stop the writing.
    ///
    /// - Throws: ``AIServiceError`` of category storage. After an error, the content cannot be finished.
    func write(_ piece: Data) async throws

    /// Makes the written content durable and returns a reference to it. No further call of the writer may follow.
    ///
    /// - Throws: ``AIServiceError`` of category storage. After an error, the store must not contain any part of the
    ///   content.
    func finish() async throws -> ContentReference

    /// Discards the written content. No further call of the writer may follow.
    func abandon() async
}

extension ContentStore {
    /// Returns a writer that collects the content in memory, and stores it when the content is finished.
    public func makeWriter() -> any ContentWriter { CollectingWriter(content: self) }
}

private final class CollectingWriter: ContentWriter {
    private let content: any ContentStore
    private let pieces = Locked(Data())

    init(content: any ContentStore) {
        self.content = content
    }

    func write(_ piece: Data) async { pieces.withLock { $0.append(piece) } }
    func finish() async throws -> ContentReference { try await content.put(pieces.withLock { $0 }) }
    func abandon() async { pieces.withLock { $0 = Data() } }
}

/// The minimum sizes, in bytes, of content that is kept in files. Smaller content is kept in the database.
///
/// ```swift
/// let thresholds = ContentThresholds(text: 1 << 20, other: 16 * 1024)
/// ```
public struct ContentThresholds: Sendable, Hashable {
    /// The minimum size of text that is kept in a file. Default 51,200 (50 KiB). For example, `1 << 20` (1 MiB) to keep
    /// nearly all text in the database.
    public var text: Int
    /// The minimum size of other content that is kept in a file. Default 102,400 (100 KiB). For example, `16 * 1024`
    /// (16 KiB) to keep the database small.
    public var other: Int

    /// Creates thresholds.
    public init(text: Int = 50 * 1024, other: Int = 100 * 1024) {
        self.text = text
        self.other = other
    }
}
