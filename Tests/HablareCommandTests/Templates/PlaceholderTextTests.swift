import Testing

@testable import HablareCommand

/// Placeholders in the texts of templates.
@Suite struct PlaceholderTextTests {
    @Test(arguments: [
        ("Say {a} and {b-2}.", ["a", "b-2"], "Say 1 and 2."),
        ("{a}{a}", ["a", "a"], "11"),
        (#"{"a": {"b": [1]}} {} { a } {1}"#, [], #"{"a": {"b": [1]}} {} { a } {1}"#),
        ("{{a}} is {a}, {{{a}}}", ["a"], "{a} is 1, {{a}}"),
        ("{c} stays", ["c"], "{c} stays"),
        ("{x}", ["x"], "{a}"),
        ("{ä} 🐋{a}", ["a"], "{ä} 🐋1"),
    ])
    func `Names in braces are replaced once, and other braces stay`(
        text: String, names: [String], filled: String
    ) {
        let placeholders = PlaceholderText(text)
        #expect(placeholders.names == names)
        #expect(placeholders.filled(["a": "1", "b-2": "2", "x": "{a}"]) == filled)
    }
}
