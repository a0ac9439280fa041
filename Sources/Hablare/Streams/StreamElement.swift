public import Foundation

/// A piece of an answer.
public struct StreamChunk: Sendable, Hashable {
    /// Where it stands.
    public var position: StreamPosition
    /// Its bytes. Of a text they never end within a character's UTF-8 encoding.
    public var bytes: Data

    /// Creates a chunk.
    public init(position: StreamPosition, bytes: Data) {
        self.position = position
        self.bytes = bytes
    }

    /// The position after it: where a reader who has taken it goes on with ``AIRequestManager/stream(for:from:)``.
    public var next: StreamPosition {
        StreamPosition(generation: position.generation, sequence: position.sequence + 1)
    }

    /// The bytes as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// What a stream tells its reader.
public enum StreamElement: Sendable, Hashable {
    /// The next piece of the answer.
    case chunk(StreamChunk)
    /// The answer is begun anew from its start: what was read before is void. Comes before the new generation's first
    /// chunk, where the request allows a restart or somebody retried it.
    case restarted(generation: Int)
    /// The answer is complete. The last element.
    case completed(AIResponseData)
}
