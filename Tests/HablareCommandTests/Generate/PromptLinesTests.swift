import Foundation
import Testing

@testable import HablareCommand

@Suite struct PromptLinesTests {
    private func prompts(_ text: String, isJSON: Bool = false) throws -> [String] {
        try PromptLines.prompts(of: Data(text.utf8), from: "p", isJSON: isJSON)
    }

    @Test func `Each line is a prompt, as it is written`() throws {
        #expect(try prompts("One\n {\"a\": 1}\r\nThree\n") == ["One", " {\"a\": 1}", "Three"])
        #expect(try prompts("\u{FEFF}One\nTwo") == ["One", "Two"], "without the byte order mark")
        #expect(
            try prompts("\"One\\ntwo\"\n{\"prompt\": \"Three\"}", isJSON: true) == ["One\ntwo", "Three"])
    }

    @Test(arguments: [
        ("", false, "There is no prompt in p."), ("\n", false, "Line 1 of p is empty."),
        ("One\n  \nTwo", false, "Line 2 of p is empty."), ("\"One\"\n\n", true, "Line 2 of p is empty."),
        ("One", true, "Line 1 of p is not a prompt."), ("7", true, "Line 1 of p is not a prompt."),
        ("\"One\"\n{\"text\": \"Two\"}", true, "Line 2 of p is not a prompt."),
        ("{\"prompt\": \"One\", \"system\": \"s\"}", true, "without other members"),
        ("{\"prompt\": 7}", true, "Line 1 of p is not a prompt."), ("\"  \"", true, "Line 1 of p is empty."),
    ])
    func `A line that is no prompt is named`(text: String, isJSON: Bool, words: String) {
        #expect {
            try prompts(text, isJSON: isJSON)
        } throws: { error in
            let failure = error as? CommandFailure
            return failure?.status == .badInput && failure?.message.contains(words) == true
        }
    }

    @Test func `A file that is not UTF-8 is refused`() {
        #expect(throws: CommandFailure.self) {
            try PromptLines.prompts(of: Data([0xFF, 0x0A]), from: "p", isJSON: false)
        }
    }
}
