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
