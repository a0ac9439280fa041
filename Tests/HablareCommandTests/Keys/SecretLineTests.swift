import Foundation
import Testing

@testable import HablareCommand

@Suite struct SecretLineTests {
    @Test(arguments: ["sk-1", "sk-1\n", "sk-1\r\n", "\n\nsk-1\n \n", "sk-1\n\t\r\n"])
    func `One line is read, with or without a line end`(text: String) throws {
        #expect(try SecretLine.text(of: Data(text.utf8)) == "sk-1")
    }

    @Test(
        arguments: [
            ("", "is empty"), (" \n\t", "is empty"), ("gorgonzola\nroquefort", "several lines"),
            ("gorgonzola\r\nroquefort", "several lines"), ("gorgonzola\rroquefort", "several lines"),
            (String(repeating: "gorgonzola", count: 1_639), "more than 16384 bytes"),
        ])
    func `An empty or overlong input is refused and not repeated`(text: String, words: String) {
        let failure = #expect(throws: CommandFailure.self) { try SecretLine.text(of: Data(text.utf8)) }
        #expect(failure?.status == .badInput)
        #expect(failure?.message.contains(words) == true)
        #expect(failure?.message.contains("gonzola") == false)
    }

    @Test func `Invalid UTF-8 is refused`() {
        let failure = #expect(throws: CommandFailure.self) { try SecretLine.text(of: Data([0x73, 0xFF])) }
        #expect(failure?.message.contains("is not UTF-8 text") == true)
    }
}
