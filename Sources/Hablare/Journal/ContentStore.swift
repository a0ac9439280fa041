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
