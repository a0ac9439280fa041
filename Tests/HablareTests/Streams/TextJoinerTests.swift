import Foundation
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct TextJoinerTests {
    @Test("A text cut anywhere is joined into complete characters without loss", arguments: Seeds.choose(50))
    func cuts(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let text = String(
            (0..<40).map { _ in ["a", "ü", "東", "👩", "\u{0}", "\n"].randomElement(using: &random) ?? "a" })
        var rest = Data(text.utf8)[...]
        var joiner = TextJoiner()
        var joined = ""
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...7, using: &random))
            rest = rest.dropFirst(piece.count)
            let whole = try joiner.joined(Data(piece))
            joined += try #require(String(validating: whole, as: UTF8.self))
        }
        #expect(joined == text)
        #expect(!joiner.isWithinCharacter)
    }

    @Test(
        "Invalid UTF-8 is refused",
        arguments: [[0xff], [0x80], [0xc3, 0x28], [0xe2, 0x82, 0x28], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]
            as [[UInt8]])
    func noText(bytes: [UInt8]) {
        var joiner = TextJoiner()
        #expect(throws: TextJoiner.NotText.self) { try joiner.joined(Data(bytes + [0x20])) }
    }

    @Test("A text that ends within a character is detected")
    func ending() throws {
        var joiner = TextJoiner()
        #expect(try joiner.joined(Data([0x61, 0xf0, 0x9f, 0x91])) == Data("a".utf8))
        #expect(joiner.isWithinCharacter)
    }
}
