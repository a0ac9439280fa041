import Foundation
import Hablare
import HablareJSON
import Testing

@testable import HablareCommand

/// Setting a value in the text of a file.
@Suite struct YAMLEditTests {
    private func edited(_ text: String, _ key: String, _ values: [String], isList: Bool = false, json: Bool = false)
        throws
        -> String
    {
        let path = key.split(separator: ".").map(String.init)
        return try YAMLEdit.setting(
            path, to: values, isList: isList, in: YAMLText(text: text, url: URL(filePath: "/x.yaml")), isJSON: json
        ) { $0 == path[$1] }
    }

    @Test(arguments: [
        ("", "a.b", "a:\n  b: new\n"),
        ("# only a comment", "a", "# only a comment\na: new\n"),
        ("a: old # why\nb: 1\n", "a", "a: new # why\nb: 1\n"),
        ("a: 'it''s' # why\n", "a", "a: new # why\n"),
        ("a: \"x \\\" # y\"\n", "a", "a: new\n"),
        ("a:\n  b: 1 # one\n  # two\n\nc: 3\n", "a.d", "a:\n  b: 1 # one\n  d: new\n  # two\n\nc: 3\n"),
        ("a:\n    b: 1\n", "a.d", "a:\n    b: 1\n    d: new\n"),
        ("a:\n  b:\n    c: 1\nz: 2", "a.d", "a:\n  b:\n    c: 1\n  d: new\nz: 2"),
        ("z: 2", "a", "z: 2\na: new\n"),
        ("a:\nz: 2\n", "a.b", "a:\n  b: new\nz: 2\n"),
        ("a: # nothing yet\nz: 2\n", "a.b", "a: # nothing yet\n  b: new\nz: 2\n"),
        ("a: ~\n", "a.b", "a:\n  b: new\n"),
        ("a: {b: 1, c: [x, 'y}']} # end\n", "a.d", "a: {b: 1, c: [x, 'y}'], d: new} # end\n"),
        ("a: {b: 1}\n", "a.b", "a: {b: new}\n"),
        ("a: {}\n", "a.b.c", "a: {b: {c: new}}\n"),
        ("a: {b: }\n", "a.b.c", "a: {b: {c: new} }\n"),
        ("a: {\n  b: 1, # one }\n  c: 2\n}\n", "a.d", "a: {\n  b: 1, # one }\n  c: 2, d: new\n}\n"),
        ("b: [1,\n  2]\n", "a", "b: [1,\n  2]\na: new\n"),
        ("---\nb: 1\n...\n", "a", "---\nb: 1\na: new\n...\n"),
        ("ä: 🐋 # ö\na: old\n", "a", "ä: 🐋 # ö\na: new\n"),
        ("a: old\r\nb: 1\r\n", "a", "a: new\r\nb: 1\r\n"),
    ])
    func `A value is set, and all else stays as it was`(text: String, key: String, new: String) throws {
        #expect(try edited(text, key, ["new"]) == new)
    }

    @Test(arguments: [
        ("a: [x, y] # why\n", "a: [one, \"t#o\"] # why\n"),
        ("a:\n- x\n- y # why\nb: 1\n", "a: [one, \"t#o\"] # why\nb: 1\n"),
        ("a:\n  - x\n", "a: [one, \"t#o\"]\n"),
        ("a: x\n", "a: [one, \"t#o\"]\n"),
    ])
    func `A list is set`(text: String, new: String) throws {
        #expect(try edited(text, "a", ["one", "t#o"], isList: true) == new)
    }

    @Test(arguments: [
        ("", "{\"a\": {\"b\": \"new\"}}\n"),
        ("{}\n", "{\"a\": {\"b\": \"new\"}}\n"),
        ("{\n  \"c\": {\"d\": \"e\"}\n}\n", "{\n  \"c\": {\"d\": \"e\"}, \"a\": {\"b\": \"new\"}\n}\n"),
        ("{\"a\": {\"b\": true}}", "{\"a\": {\"b\": \"new\"}}"),
    ])
    func `JSON stays JSON`(text: String, new: String) throws {
        #expect(try edited(text, "a.b", ["new"], json: true) == new)
    }

    @Test(arguments: ["true", "a b", "a: b", "#a", "- a", "~", "null", "x,y", "\\\"", "a:", "@a", "1.5/s", "ä"])
    func `Every value is read back as it was`(value: String) throws {
        for text in ["", "a: {b: c}", "a:\n  b: c"] {
            let new = YAMLText(text: try edited(text, "a.b", [value]), url: URL(filePath: "/x.yaml"))
            let found = try new.read { root in try root.map { try new.value(of: $0) } }?[member: "a"]?[member: "b"]
            #expect(found == (value == "true" ? .bool(true) : .string(value)))
        }
    }

    @Test(arguments: ["a: |\n  long\n", "b: |\n  long\n", "a:\n  - |\n    x\n", "# x\u{2028}\n{}\n"])
    func `A form that is not known is refused`(text: String) {
        #expect(throws: YAMLEdit.Unsupported.self) { try edited(text, "a", ["new"]) }
    }
}
