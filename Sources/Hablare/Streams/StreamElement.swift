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

    /// The position after the chunk. To continue after this chunk, pass it to ``AIRequestManager/stream(for:from:)``.
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
    /// The answer begins again from its start. Discard all chunks that you have read.
    ///
    /// This element comes before the first chunk of the new answer. This happens if another attempt follows and the
    /// request allows a restart, and after an explicit retry.
    case restarted(generation: Int)
    /// The answer is complete. This is the last element.
    case completed(AIResponseData)
}

/// A position in a stream: the place before one chunk. Store the position with the chunks that you have read, so that
/// you can continue after the app restarts.
public struct StreamPosition: Sendable, Hashable, Comparable, Codable {
    /// The number of the answer's generation, from 1. A new generation begins each time that the answer begins again
    /// from its start. 0 means any generation.
    public var generation: Int
    /// The number of the chunk within its generation, from 0.
    public var sequence: Int

    /// Creates a position. If you omit `generation`, the position applies to any generation.
    public init(generation: Int = 0, sequence: Int) {
        self.generation = generation
        self.sequence = sequence
    }

    /// The position before the first chunk.
    public static let start = StreamPosition(sequence: 0)

    /// Returns whether one position is before another. Compares the generations first, and then the chunk numbers.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.generation, lhs.sequence) < (rhs.generation, rhs.sequence)
    }
}

/// The position of a stream's reader. It decides which elements the reader receives next. This type is pure.
package struct StreamCursor: Sendable {
    package private(set) var position: StreamPosition

    package init(at position: StreamPosition) {
        self.position = StreamPosition(
            generation: max(0, position.generation), sequence: max(0, position.sequence))
    }

    /// Accepts chunks of a generation and returns the elements that are new for the reader.
    ///
    /// Skips chunks that the reader already has. Also skips chunks that do not follow directly after the reader's last
    /// chunk. If the reader has chunks of an older generation, the first element is
    /// ``StreamElement/restarted(generation:)``.
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
