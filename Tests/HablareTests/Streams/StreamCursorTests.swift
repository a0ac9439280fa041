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

    @Test("A reader is told nothing twice and nothing after a gap")
    func order() {
        var cursor = StreamCursor(at: .start)
        #expect(told(cursor.found(chunks(1, 0..<3), of: 1)) == ["1.0", "1.1", "1.2"])
        #expect(told(cursor.found(chunks(1, 1..<4), of: 1)) == ["1.3"])
        #expect(told(cursor.found(chunks(1, 5..<7), of: 1)) == [])
        #expect(cursor.position == StreamPosition(generation: 1, sequence: 4))
    }

    @Test("A reader who had something of an older generation is told that the answer was begun anew")
    func restart() {
        var cursor = StreamCursor(at: StreamPosition(generation: 1, sequence: 7))
        #expect(told(cursor.found(chunks(3, 0..<1), of: 3)) == ["restarted 3", "3.0"])
        #expect(told(cursor.found(chunks(2, 0..<1), of: 2)) == [], "what is older is of no use any more")
    }

    @Test("A reader who had nothing is not told of attempts that came to nothing")
    func silentRestart() {
        var cursor = StreamCursor(at: StreamPosition(generation: 1, sequence: 0))
        #expect(told(cursor.found(chunks(2, 0..<1), of: 2)) == ["2.0"])
    }

    @Test("A number without a generation is one of whichever generation there is")
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
