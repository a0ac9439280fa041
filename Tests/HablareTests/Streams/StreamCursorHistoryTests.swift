import Foundation
import HablareTestKit
import Testing

@testable import Hablare

/// Compares random histories with a model that keeps all elements of the reader, where the cursor keeps a position.
@Suite struct StreamCursorHistoryTests {
    private struct Book {
        let start: StreamPosition
        /// The non-empty generations, in the order in which the reader received them.
        var generations: [Int] = []
        var told: [StreamElement] = []

        /// Returns the number of chunks of a generation that the reader received.
        private func count(_ generation: Int) -> Int {
            told.count { if case .chunk(let chunk) = $0 { chunk.position.generation == generation } else { false } }
        }

        /// Returns the number of chunks of a generation that the reader had before.
        private func before(_ generation: Int) -> Int {
            let first = start.generation == 0 ? generations.first : start.generation
            return generation == first ? start.sequence : 0
        }

        /// The reader's current generation, or 0 before the first.
        var current: Int { generations.last ?? start.generation }

        /// Returns the elements that the reader must get for chunks of a generation.
        mutating func expected(_ numbers: Set<Int>, of generation: Int) -> [String] {
            guard generation >= max(1, current) else { return [] }
            var words: [String] = []
            if current > 0, generation > current, before(current) + count(current) > 0 {
                words = ["restarted \(generation)"]
            }
            if generation != generations.last { generations.append(generation) }
            var next = before(generation) + count(generation)
            while numbers.contains(next) {
                words.append("\(generation).\(next)")
                next += 1
            }
            return words
        }
    }

    private static func words(_ element: StreamElement) -> String {
        switch element {
        case .chunk(let chunk): "\(chunk.position.generation).\(chunk.position.sequence) \(chunk.text)"
        case .restarted(let generation): "restarted \(generation)"
        case .completed: "completed"
        }
    }

    /// Returns the text of a chunk, which identifies it in both.
    private static func text(_ generation: Int, _ number: Int) -> String { "\(generation * 1000 + number)" }

    @Test("StreamCursor agrees with the model over random histories of pages", arguments: Seeds.choose(300))
    func agree(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let start = StreamPosition(
            generation: Int.random(in: 0..<3, using: &random), sequence: Int.random(in: 0..<4, using: &random))
        var cursor = StreamCursor(at: start)
        var book = Book(start: start)
        var newest = Int.random(in: 0..<3, using: &random)
        for step in 0..<80 {
            if Int.random(in: 0..<15, using: &random) == 0 { newest += Int.random(in: 1..<3, using: &random) }
            // Most pages are of the newest generation; some are late.
            let isLate = Int.random(in: 0..<6, using: &random) == 0
            let generation = isLate ? Int.random(in: 0...newest, using: &random) : newest
            // Near the reader's position, with gaps, and sometimes without any chunk at it.
            let first = max(0, cursor.position.sequence + Int.random(in: -3..<2, using: &random))
            let numbers = (first..<first + 6).filter { _ in Int.random(in: 0..<6, using: &random) > 0 }
            var chunks = numbers.map { number in
                StreamChunk(
                    position: StreamPosition(generation: generation, sequence: number),
                    bytes: Data(Self.text(generation, number).utf8))
            }
            if Bool.random(using: &random) {
                let stray = StreamPosition(generation: generation + 1, sequence: cursor.position.sequence)
                chunks.insert(
                    StreamChunk(position: stray, bytes: Data("stray".utf8)),
                    at: Int.random(in: 0...chunks.count, using: &random))
            }
            let told = cursor.found(chunks, of: generation)
            let expected = book.expected(Set(numbers), of: generation).map { words in
                let parts = words.split(separator: ".").compactMap { Int($0) }
                return parts.count == 2 ? "\(words) \(Self.text(parts[0], parts[1]))" : words
            }
            book.told += told
            #expect(told.map(Self.words) == expected, "HABLARE_SEED=\(seed), step \(step), from \(start)")
        }
    }
}
