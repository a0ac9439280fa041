import Foundation
import Testing

@testable import HablareCommand

@Suite struct JSONFaultTests {
    @Test(
        "Valid JSON has no fault",
        arguments: [
            "{}", " [ ] ", "1", "-0.5e+3", "true", "null", #""a\"b""#, "{\"a\": [1, {\"b\": null}],\n \"ä\": \"😀\"}",
        ])
    func none(text: String) {
        #expect(JSONFault(in: Data(text.utf8)) == nil)
    }

    @Test(
        "A fault in JSON is reported with line and column",
        arguments: [
            ("", 1, 1, "the file ends there, and a value is missing."),
            ("{", 1, 2, "the file ends there, and a key in double quotes is missing."),
            ("{\n  \"a\": 1,\n  b\n}", 3, 3, "a key in double quotes is missing."),
            ("{\n \"a\": 1,\n}", 3, 1, "a key in double quotes is missing."),
            ("{\"ä😀\" 1}", 1, 7, "a colon is missing after the key."),
            ("{\n \"a\": 1\n \"b\": 2}", 3, 2, "a comma or } is missing."), ("[1 2]", 1, 4, "a comma or ] is missing."),
            ("{\"a\":\n'x'}", 2, 1, "a value is missing."), ("[01]", 1, 2, "a value is missing."),
            ("[tru]", 1, 2, "a value is missing."), ("{}\n x", 2, 2, "there is something behind the end."),
            ("{\"a\": \"b\n\"}", 1, 9, "a line end, or another control character, is in a text."),
            ("{\n\"a\": \"b}", 2, 6, "a text begins there and has no end."),
            ("[\n[", 2, 2, "the file ends there, and a value is missing."),
        ] as [(String, Int, Int, String)])
    func fault(text: String, line: Int, column: Int, problem: String) {
        let fault = JSONFault(in: Data(text.utf8))
        #expect(fault?.line == line)
        #expect(fault?.column == column)
        #expect(fault?.problem == problem)
    }

    @Test func `What is not UTF-8 is no JSON from there on, and no depth is too much`() {
        let fault = JSONFault(in: Data("{\n \"a".utf8) + [0xFF] + Data("\": 1}".utf8))
        #expect(fault?.line == 2 && fault?.column == 4)
        #expect(
            JSONFault(in: Data(repeating: UInt8(ascii: "["), count: 1 << 20))?.problem == "it is nested too deeply.")
    }
}
