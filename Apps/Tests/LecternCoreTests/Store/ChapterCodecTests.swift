import Foundation
import HablareTestKit
import LecternTexts
import Testing

@testable import LecternCore

@Suite("The bytes of a chapter")
struct ChapterCodecTests {
    @Test("Any blocks are read as they were written", arguments: Seeds.choose(20))
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let blocks = (0..<Int.random(in: 0...12, using: &random)).map { _ in Self.block(&random) }
        #expect(try ChapterCodec.blocks(of: ChapterCodec.data(of: blocks)) == blocks, "HABLARE_SEED=\(seed)")
    }

    @Test("Damaged bytes are an error or other blocks, and never a trap", arguments: Seeds.choose(20))
    func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let blocks = (0..<6).map { _ in Self.block(&random) }
        let whole = ChapterCodec.data(of: blocks)
        for _ in 0..<300 {
            var data = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            data = data.prefix(Int.random(in: 0...data.count, using: &random))
            do { _ = try ChapterCodec.blocks(of: data) } catch { #expect(error.code == .damaged) }
        }
        #expect(throws: ReadingError.self) { try ChapterCodec.blocks(of: whole.dropLast()) }
        #expect(throws: ReadingError.self) { try ChapterCodec.blocks(of: whole + [0]) }
        #expect(throws: ReadingError.self) { try ChapterCodec.blocks(of: Data()) }
    }

    private static func block(_ random: inout SeededGenerator) -> Block {
        let kinds: [Block.Kind] = [
            .paragraph, .continuation, .heading(level: 3), .canonicalTitle, .poetry(indent: 2), .stanzaBreak,
            .quotation, .listItem(level: 1, marker: "•"), .preformatted, .tableRow, .rule,
        ]
        return Block(
            kinds.randomElement(using: &random) ?? .rule,
            (0..<Int.random(in: 0...4, using: &random)).map { _ in
                Fragment(
                    verse: Bool.random(using: &random) ? Int.random(in: -3...9_999, using: &random) : nil,
                    label: Bool.random(using: &random) ? "16–17" : nil,
                    (0..<3).map { _ in inline(&random, depth: 0) })
            })
    }

    private static func inline(_ random: inout SeededGenerator, depth: Int) -> Inline {
        let john = BookID(rawValue: "John")
        switch Int.random(in: 0..<(depth < 2 ? 4 : 3), using: &random) {
        case 0: return .text(["", "a b", "λόγος", "👨‍👩‍👧"].randomElement(using: &random) ?? "")
        case 1: return .text("x", TextStyle(rawValue: Int.random(in: 1...1023, using: &random)))
        case 2: return .lineBreak
        default:
            let place = Reference.Place(3, Bool.random(using: &random) ? 16 : nil)
            let reference = Reference(john, Bool.random(using: &random) ? place...Reference.Place(4, 1) : nil)
            return .note(
                Note(
                    Bool.random(using: &random) ? .footnote : .crossReference,
                    mark: Bool.random(using: &random) ? "a" : nil, [inline(&random, depth: depth + 1)],
                    references: [reference]))
        }
    }
}
