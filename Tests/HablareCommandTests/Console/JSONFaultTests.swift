import Foundation
import Testing

@testable import HablareCommand

@Suite struct JSONFaultTests {
    @Test(
        "JSON has no fault",
        arguments: [
            "{}", " [ ] ", "1", "-0.5e+3", "true", "null", #""a\"b""#, "{\"a\": [1, {\"b\": null}],\n \"ä\": \"😀\"}",
        ])
    func none(text: String) {
        #expect(JSONFault(in: Data(text.utf8)) == nil)
    }

    @Test(
        "What is no JSON is so from a line and a column on",
        arguments: [
            ("{\n  \"a\": 1,\n  b\n}", "line 3, column 3"), ("{\"ä😀\" 1}", "line 1, column 7"),
            ("{\n \"a\": 1\n \"b\": 2}", "line 3, column 2"), ("[1 2]", "line 1, column 4"),
            ("{\"a\":\n'x'}", "line 2, column 1"), ("{}\n x", "line 2, column 2"),
        ])
    func fault(text: String, place: String) {
        let sentence = JSONFault(in: Data(text.utf8))?.sentence
        #expect(sentence?.hasPrefix("It is not JSON from \(place) on: ") == true, "\(sentence ?? "none")")
    }

    @Test(
        "What ends too early, is not UTF-8 or is nested too deeply is no JSON",
        arguments: [
            Data(), Data("{".utf8), Data("{\n\"a\": \"b}".utf8), Data("{\n \"a".utf8) + [0xFF] + Data("\": 1}".utf8),
            Data(repeating: UInt8(ascii: "["), count: 1 << 20),
        ])
    func end(data: Data) {
        #expect(JSONFault(in: data)?.sentence.hasPrefix("It is not JSON") == true)
    }
}
