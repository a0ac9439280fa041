import Foundation
import Testing

@testable import HablareCommand

/// Texts, one per line.
@Suite struct TextLinesTests {
    private func texts(_ text: String, isOne: Bool = false) throws -> [String] {
        try TextLines.texts(of: Data(text.utf8), from: "a", isOne: isOne)
    }

    @Test func `Each line is a text, with any line ends`() throws {
        #expect(try texts("one\ntwo\r\nthree") == ["one", "two", "three"])
        #expect(try texts("one\ntwo\n") == ["one", "two"])
        #expect(try texts("one\r\n") == ["one"])
        #expect(try texts(" one \n") == [" one "])
        #expect(try texts("one\n\ntwo\n", isOne: true) == ["one\n\ntwo\n"])
    }

    @Test(arguments: ["", "\n", "one\n\ntwo", "one\n\n", "one\n \ntwo"])
    func `A blank line is refused because it would have no vector`(text: String) {
        #expect(throws: CommandFailure.self) { try texts(text) }
    }

    @Test func `Invalid UTF-8 is refused`() {
        #expect(throws: CommandFailure.self) { try TextLines.texts(of: Data([0xFF, 0x41]), from: "a", isOne: true) }
    }
}
