/// Where a reader of a stream is, and what it is told next. Pure.
package struct StreamCursor: Sendable {
    /// Before which chunk the reader is.
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
