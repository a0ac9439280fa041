import Foundation
import Hablare
import Testing

@Suite struct StreamCursorTests {
    private func chunks(_ generation: Int, _ numbers: Range<Int>) -> [StreamChunk] {
        numbers.map { StreamChunk(position: StreamPosition(generation: generation, sequence: $0), bytes: Data([1])) }
    }

    private func told(_ elements: [StreamElement]) -> [String] {
        elements.map { element in
            switch element {
            case .chunk(let chunk): "\(chunk.position.generation).\(chunk.position.sequence)"
            case .restarted(let generation): "restarted \(generation)"
            case .completed: "completed"
            }
        }
    }

    @Test("A reader gets no chunk twice and none after a gap")
    func order() {
        var cursor = StreamCursor(at: .start)
        #expect(told(cursor.found(chunks(1, 0..<3), of: 1)) == ["1.0", "1.1", "1.2"])
        #expect(told(cursor.found(chunks(1, 1..<4), of: 1)) == ["1.3"])
        #expect(told(cursor.found(chunks(1, 5..<7), of: 1)) == [])
        #expect(cursor.position == StreamPosition(generation: 1, sequence: 4))
    }

    @Test("A reader with chunks of an older generation gets a restart")
    func restart() {
        var cursor = StreamCursor(at: StreamPosition(generation: 1, sequence: 7))
        #expect(told(cursor.found(chunks(3, 0..<1), of: 3)) == ["restarted 3", "3.0"])
        #expect(told(cursor.found(chunks(2, 0..<1), of: 2)) == [], "what is older is of no use any more")
    }

    @Test("A reader without chunks gets no restart for empty attempts")
    func silentRestart() {
        var cursor = StreamCursor(at: StreamPosition(generation: 1, sequence: 0))
        #expect(told(cursor.found(chunks(2, 0..<1), of: 2)) == ["2.0"])
    }

    @Test("A position without a generation applies to any generation")
    func anyGeneration() {
        var cursor = StreamCursor(at: StreamPosition(sequence: 2))
        #expect(told(cursor.found([], of: 0)) == [])
        #expect(told(cursor.found(chunks(4, 2..<3), of: 4)) == ["4.2"])
    }

    @Test("A position before the beginning is the beginning")
    func nonsense() {
        #expect(StreamCursor(at: StreamPosition(generation: -3, sequence: -1)).position == .start)
    }
}
