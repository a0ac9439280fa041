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

/// A place in a stream: before the chunk of that number. Keep it beside what was read, to read on after a restart.
public struct StreamPosition: Sendable, Hashable, Comparable, Codable {
    /// How often the answer was begun from its start, from 1. 0 stands for whichever generation there is.
    public var generation: Int
    /// The number of the chunk within its generation, from 0.
    public var sequence: Int

    /// Creates a position; of whichever generation there is, unless one is given.
    public init(generation: Int = 0, sequence: Int) {
        self.generation = generation
        self.sequence = sequence
    }

    /// Before the first chunk.
    public static let start = StreamPosition(sequence: 0)

    /// Orders by generation, then by number.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.generation, lhs.sequence) < (rhs.generation, rhs.sequence)
    }
}

/// Where a reader of a stream is, and what it is told next. Pure.
package struct StreamCursor: Sendable {
    package private(set) var position: StreamPosition

    package init(at position: StreamPosition) {
        self.position = StreamPosition(
            generation: max(0, position.generation), sequence: max(0, position.sequence))
    }

    /// There is something of a generation. Answers with what the reader is told of it: nothing of what it had before,
    /// nothing after a gap, and that the answer was begun anew where it had something of an older generation.
    package mutating func found(_ chunks: [StreamChunk], of generation: Int) -> [StreamElement] {
        guard generation > 0, generation >= position.generation else { return [] }
        var elements: [StreamElement] = []
        if position.generation == 0 {
            position.generation = generation
        } else if generation > position.generation {
            if position.sequence > 0 { elements.append(.restarted(generation: generation)) }
            position = StreamPosition(generation: generation, sequence: 0)
        }
        for chunk in chunks where chunk.position == position {
            elements.append(.chunk(chunk))
            position.sequence += 1
        }
        return elements
    }
}
