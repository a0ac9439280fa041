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
        "A fault in JSON is reported with line, column and advice",
        arguments: [
            ("{\n  \"a\": 1,\n  b\n}", "line 3, column 3", .allowed), ("{\"ä😀\" 1}", "line 1, column 7", .allowed),
            ("{\n \"a\": 1\n \"b\": 2}", "line 3, column 2", .allowed), ("[1 2]", "line 1, column 4", .allowed),
            ("{\n \"a\": 1,\n}", "line 3, column 1", .allowed), ("[1,]", "line 1, column 4", .allowed),
            ("{\"a\":\n'x'}", "line 2, column 1", .allowed), ("{}\n x", "line 2, column 2", .allowed),
            ("[01]", "line 1, column 3", .allowed), ("[tru]", "line 1, column 5", .allowed),
            ("{\"a\": \"b\n\"}", "line 1, column 9", .allowed), ("", "line 1, column 1", .early),
            ("{", "line 1, column 2", .early), ("{\n\"a\": \"b}", "line 2, column 9", .early),
            ("[\n[", "line 2, column 2", .early), ("{\"a\": 1,\n\"a\": 2}", "line 2, column 1", .twice),
        ] as [(String, String, Reason)])
    func fault(text: String, place: String, reason: Reason) {
        #expect(
            JSONFault(in: Data(text.utf8))?.sentence.hasPrefix("It is not valid JSON at \(place): \(reason.rawValue)")
                == true)
    }

    enum Reason: String, Sendable {
        case allowed = "this character is not allowed there."
        case early = "the text ends too early."
        case twice = "the object has this name twice."
    }

    @Test("A repeated name is no fault if the last value counts")
    func repeated() {
        #expect(JSONFault(in: Data(#"{"a": 1, "a": 2}"#.utf8), takesLast: true) == nil)
    }

    @Test("Text that is not UTF-8, or is nested too deeply, is a fault")
    func unreadable() {
        let fault = JSONFault(in: Data("{\n \"a".utf8) + [0xFF] + Data("\": 1}".utf8))
        #expect(fault?.sentence.hasPrefix("It is not valid JSON: line 2 is not UTF-8.") == true)
        #expect(JSONFault(in: Data(repeating: UInt8(ascii: "["), count: 1 << 20)) != nil)
    }

    @Test(
        "A fault does not quote the text, which may have a secret",
        arguments: [#""Bearer ab\us3cr""#, #"{"a": 1s3cr}"#])
    func secret(text: String) {
        #expect(JSONFault(in: Data(text.utf8))?.sentence.contains("s3cr") == false)
    }
}
