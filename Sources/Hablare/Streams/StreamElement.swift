public import Foundation

/// A piece of an answer.
public struct StreamChunk: Sendable, Hashable {
    /// The chunk's position.
    public var position: StreamPosition
    /// The chunk's bytes. A chunk of text never ends within a character's UTF-8 encoding.
    public var bytes: Data

    /// Creates a chunk.
    public init(position: StreamPosition, bytes: Data) {
        self.position = position
        self.bytes = bytes
    }

    /// The position after the chunk. A reader who has the chunk continues from here with
    /// ``AIRequestManager/stream(for:from:)``.
    public var next: StreamPosition {
        StreamPosition(generation: position.generation, sequence: position.sequence + 1)
    }

    /// The bytes as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// An element of a stream.
public enum StreamElement: Sendable, Hashable {
    /// The next piece of the answer.
    case chunk(StreamChunk)
    /// The answer starts over. Discard everything that was read before.
    ///
    /// It comes before the first chunk of the new generation, if the request allows a restart or after an explicit
    /// retry.
    case restarted(generation: Int)
    /// The answer is complete. This is the last element.
    case completed(AIResponseData)
}

/// A position in a stream, before the chunk with this generation and number. Store it with the chunks that were read,
/// to continue after the app restarts.
public struct StreamPosition: Sendable, Hashable, Comparable, Codable {
    /// The number of times that the answer began from its start, from 1. 0 stands for any generation.
    public var generation: Int
    /// The number of the chunk within its generation, from 0.
    public var sequence: Int

    /// Creates a position; of any generation, unless one is given.
    public init(generation: Int = 0, sequence: Int) {
        self.generation = generation
        self.sequence = sequence
    }

    /// The position before the first chunk.
    public static let start = StreamPosition(sequence: 0)

    /// Orders by generation, then by number.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.generation, lhs.sequence) < (rhs.generation, rhs.sequence)
    }
}

/// The position of a stream's reader, and the decision about its next elements. This type is pure.
package struct StreamCursor: Sendable {
    package private(set) var position: StreamPosition

    package init(at position: StreamPosition) {
        self.position = StreamPosition(
            generation: max(0, position.generation), sequence: max(0, position.sequence))
    }

    /// Takes chunks of a generation and returns the reader's new elements.
    ///
    /// It skips chunks that the reader already had and chunks after a gap. If the reader had chunks of an older
    /// generation, the first element reports that the answer starts over.
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
