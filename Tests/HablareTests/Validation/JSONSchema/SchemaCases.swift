import Foundation
import Testing

@testable import Hablare

/// A schema with valid and invalid values, as JSON.
struct SchemaCase: Sendable, CustomTestStringConvertible {
    let schema: String
    let fitting: [String]
    let others: [String]

    var testDescription: String { schema }

    init(_ schema: String, _ fitting: [String], not others: [String]) {
        self.schema = schema
        self.fitting = fitting
        self.others = others
    }

    static let all: [SchemaCase] =
        types + choices + numbers + texts + formats + lists + objects + combinations + references

    static let types: [SchemaCase] = [
        SchemaCase("true", ["null", "1", "{}"], not: []),
        SchemaCase("false", [], not: ["null", "1", "{}"]),
        SchemaCase("{}", ["null", "1", "[]"], not: []),
        SchemaCase(#"{"type":"null"}"#, ["null"], not: ["0", "false", "\"\""]),
        SchemaCase(#"{"type":"boolean"}"#, ["true", "false"], not: ["0", "1", "\"true\"", "null"]),
        SchemaCase(#"{"type":"integer"}"#, ["0", "-3", "1.0", "1e3", "-0.0"], not: ["1.5", "\"1\"", "true", "null"]),
        SchemaCase(#"{"type":"number"}"#, ["0", "1.5", "-1e-3"], not: ["\"1\"", "true", "[]"]),
        SchemaCase(#"{"type":"string"}"#, ["\"\"", "\"a\""], not: ["1", "null", "[]", "{}"]),
        SchemaCase(#"{"type":"array"}"#, ["[]", "[1]"], not: ["{}", "\"[]\""]),
        SchemaCase(#"{"type":"object"}"#, ["{}", #"{"a":1}"#], not: ["[]", "null"]),
        SchemaCase(#"{"type":["string","null"]}"#, ["\"a\"", "null"], not: ["1", "[]"]),
        SchemaCase(#"{"type":["integer","string"]}"#, ["1", "2.0", "\"a\""], not: ["1.5", "null"]),
        SchemaCase(#"{"type":["integer","number"]}"#, ["1", "1.5"], not: ["null"]),
        SchemaCase(
            #"{"type":"string","title":"t","description":"d","default":1,"examples":[1],"x-any":{},"$comment":"c"}"#,
            ["\"a\""], not: ["1"]),
        SchemaCase(
            #"{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://a.b/c","type":"null"}"#,
            ["null"], not: ["1"]),
    ]

    static let choices: [SchemaCase] = [
        SchemaCase(#"{"enum":["a","b"]}"#, ["\"a\"", "\"b\""], not: ["\"c\"", "\"A\"", "null"]),
        SchemaCase(#"{"enum":[1,null,true]}"#, ["1", "1.0", "null", "true"], not: ["0", "false", "\"1\""]),
        SchemaCase(
            #"{"enum":[[1,2],{"a":1}]}"#, ["[1,2]", "[1.0,2]", #"{"a":1.0}"#],
            not: ["[2,1]", "[1]", "{}", #"{"a":1,"b":2}"#]),
        SchemaCase(#"{"enum":[0]}"#, ["0", "-0.0"], not: ["false", "null", "\"\"", "[]"]),
        SchemaCase(#"{"const":"a"}"#, ["\"a\""], not: ["\"b\"", "1"]),
        SchemaCase(#"{"const":null}"#, ["null"], not: ["0", "false"]),
        SchemaCase(#"{"const":"\u00e9"}"#, [#""\u00e9""#, "\"\u{E9}\""], not: [#""e\u0301""#, "\"e\u{301}\""]),
        SchemaCase(
            #"{"enum":["e\u0301",["\u00e9"],{"\u00e9":1}]}"#, [#""e\u0301""#, #"["\u00e9"]"#, #"{"\u00e9":1}"#],
            not: [#""\u00e9""#, #"["e\u0301"]"#, #"{"e\u0301":1}"#]),
        SchemaCase(#"{"const":{"a":[1]}}"#, [#"{"a":[1]}"#], not: [#"{"a":[2]}"#, #"{"a":[1],"b":1}"#]),
        SchemaCase(#"{"type":"string","enum":["a",1]}"#, ["\"a\""], not: ["1"]),
    ]

    static let numbers: [SchemaCase] = [
        SchemaCase(#"{"minimum":2}"#, ["2", "2.0", "3", "\"a\""], not: ["1", "1.999"]),
        SchemaCase(#"{"maximum":2}"#, ["2", "-9", "null"], not: ["3", "2.0001"]),
        SchemaCase(#"{"exclusiveMinimum":2}"#, ["2.001", "3"], not: ["2", "2.0", "1"]),
        SchemaCase(#"{"exclusiveMaximum":2}"#, ["1.999", "1"], not: ["2", "3"]),
        SchemaCase(#"{"minimum":-1.5,"maximum":1.5}"#, ["-1.5", "0", "1.5"], not: ["-1.6", "2"]),
        SchemaCase(#"{"minimum":9007199254740993}"#, ["9007199254740993"], not: ["9007199254740992"]),
        SchemaCase(#"{"maximum":1e300}"#, ["9223372036854775807"], not: ["1e301"]),
        SchemaCase(#"{"multipleOf":3}"#, ["0", "9", "-3", "6.0", "\"a\""], not: ["1", "4.5"]),
        SchemaCase(#"{"multipleOf":0.1}"#, ["0.3", "1", "2.7"], not: ["0.35", "0.01"]),
        SchemaCase(#"{"multipleOf":1}"#, ["1.0", "4"], not: ["1.5"]),
        SchemaCase(#"{"multipleOf":0.01}"#, ["19.99", "0.07"], not: ["0.075"]),
        SchemaCase(#"{"multipleOf":1}"#, ["4503599627370496.0", "1e30"], not: ["2251799813685248.5", "1e-30"]),
        SchemaCase(#"{"multipleOf":0.123456789}"#, ["0.246913578", "123456789"], not: ["0.123", "123456788"]),
        SchemaCase(#"{"multipleOf":1e30}"#, ["0", "3e30", "0.0"], not: ["1", "1e29", "9223372036854775807"]),
    ]

    static let texts: [SchemaCase] = [
        SchemaCase(#"{"minLength":2}"#, ["\"ab\"", "\"😀😀\"", "1"], not: ["\"a\"", "\"😀\"", "\"\""]),
        SchemaCase(#"{"maxLength":2}"#, ["\"ab\"", "\"😀😀\"", "[]"], not: ["\"abc\"", "\"e\\u0301e\""]),
        SchemaCase(#"{"minLength":1,"maxLength":1}"#, ["\"a\""], not: ["\"\"", "\"ab\""]),
        SchemaCase(#"{"minLength":2.0}"#, ["\"ab\""], not: ["\"a\""]),
        SchemaCase(#"{"pattern":"^[a-z]+$"}"#, ["\"abc\"", "1"], not: ["\"\"", "\"aBc\"", "\"a1\""]),
        SchemaCase(#"{"pattern":"b"}"#, ["\"abc\""], not: ["\"ac\""]),
        SchemaCase(#"{"pattern":"^\\d{4}-\\d{2}$"}"#, ["\"2026-01\""], not: ["\"2026-1\"", "\"x2026-01\""]),
        SchemaCase(#"{"pattern":"^\\p{L}+$"}"#, ["\"Ärger\""], not: ["\"a b\""]),
        SchemaCase(#"{"pattern":"^[\\uD83D\\uDE00-\\uD83D\\uDE02]$"}"#, ["\"😀\"", "\"😁\""], not: ["\"🙂\""]),
    ]

    static let formats: [SchemaCase] = [
        SchemaCase(
            #"{"format":"email"}"#, ["\"a@b.org\"", "\"a.b+c@localhost\"", "1"],
            not: ["\"a\"", "\"@b.org\"", "\"a@\"", "\"a b@c.org\"", "\"a..b@c.org\"", "\"a@-b.org\"", "\"a@b..org\""]),
        SchemaCase(
            #"{"format":"uri"}"#, ["\"https://a.org/?q=%20#f\"", "\"mailto:a@b.org\"", "\"urn:isbn:1\""],
            not: ["\"a.org\"", "\"/a\"", "\"https://a b\"", "\"https://a/%zz\"", "\":a\"", "\"1a:b\"", "\"\""]),
        SchemaCase(
            #"{"format":"uuid"}"#,
            ["\"6ba7b810-9dad-11d1-80b4-00c04fd430c8\"", "\"6BA7B810-9DAD-11D1-80B4-00C04FD430C8\""],
            not: ["\"6ba7b8109dad11d180b400c04fd430c8\"", "\"6ba7b810-9dad-11d1-80b4-00c04fd430cg\"", "\"\""]),
        SchemaCase(
            #"{"format":"date-time"}"#,
            ["\"2026-01-31T12:00:00Z\"", "\"2024-02-29t23:59:60.123+02:00\"", "\"2000-02-29T00:00:00z\""],
            not: [
                "\"2026-01-31\"", "\"2026-02-29T12:00:00Z\"", "\"2026-01-31T24:00:00Z\"", "\"2026-01-31T12:00:00\"",
                "\"2026-01-31 12:00:00Z\"", "\"2026-13-01T12:00:00Z\"", "\"2026-01-31T12:00:00.Z\"",
                "\"1900-02-29T00:00:00Z\"",
                "\"2026-01-31T12:00:00+2:00\"", "\"+026-01-31T12:00:00Z\"",
            ]),
        SchemaCase(
            #"{"format":"date"}"#, ["\"2026-12-31\""],
            not: ["\"2026-12-32\"", "\"2026-00-01\"", "\"2026-1-1\"", "\"2026-01-31T\""]),
        SchemaCase(
            #"{"format":"time"}"#, ["\"12:00:00Z\"", "\"12:00:00.5-01:30\""], not: ["\"12:00\"", "\"12:60:00Z\""]),
        SchemaCase(#"{"format":"no-such-format"}"#, ["\"a\"", "\"\""], not: []),
    ]

    static let lists: [SchemaCase] = [
        SchemaCase(#"{"items":{"type":"integer"}}"#, ["[]", "[1,2]", "{}"], not: ["[1,\"a\"]", "[null]"]),
        SchemaCase(#"{"items":false}"#, ["[]"], not: ["[1]"]),
        SchemaCase(
            #"{"prefixItems":[{"type":"string"},{"type":"integer"}]}"#, ["[]", "[\"a\"]", "[\"a\",1,null]"],
            not: ["[1]", "[\"a\",\"b\"]"]),
        SchemaCase(
            #"{"prefixItems":[{"type":"string"}],"items":{"type":"null"}}"#, ["[\"a\",null]"],
            not: ["[\"a\",1]", "[null]"]),
        SchemaCase(#"{"prefixItems":[true,true],"items":false}"#, ["[1,2]", "[1]"], not: ["[1,2,3]"]),
        SchemaCase(#"{"minItems":1}"#, ["[1]", "\"\""], not: ["[]"]),
        SchemaCase(#"{"maxItems":1}"#, ["[]", "[1]"], not: ["[1,2]"]),
        SchemaCase(#"{"minItems":2,"maxItems":2}"#, ["[1,2]"], not: ["[1]", "[1,2,3]"]),
        SchemaCase(
            #"{"uniqueItems":true}"#, ["[]", "[1,2]", "[1,\"1\",true,null]", "[[1],[2]]"],
            not: ["[1,1]", "[1,1.0]", #"[{"a":1},{"a":1.0}]"#]),
        SchemaCase(
            #"{"uniqueItems":true}"#, [#"["\u00e9","e\u0301"]"#, #"[{"\u00e9":1},{"e\u0301":1}]"#],
            not: [#"["e\u0301","e\u0301"]"#, #"[["\u00e9"],["\u00e9"]]"#]),
        SchemaCase(#"{"uniqueItems":false}"#, ["[1,1]"], not: []),
        SchemaCase(#"{"items":{"items":{"minimum":1}}}"#, ["[[1],[]]"], not: ["[[1],[0]]"]),
    ]

    static let objects: [SchemaCase] = [
        SchemaCase(
            #"{"properties":{"a":{"type":"integer"}}}"#, ["{}", #"{"a":1}"#, #"{"b":"x"}"#, "[]"], not: [#"{"a":"x"}"#]),
        SchemaCase(#"{"required":["a","b"]}"#, [#"{"a":1,"b":null}"#, "[]"], not: ["{}", #"{"a":1}"#]),
        SchemaCase(#"{"required":[]}"#, ["{}"], not: []),
        SchemaCase(
            #"{"properties":{"a":true},"additionalProperties":false}"#, ["{}", #"{"a":1}"#],
            not: [#"{"b":1}"#, #"{"a":1,"b":1}"#]),
        SchemaCase(#"{"additionalProperties":{"type":"integer"}}"#, ["{}", #"{"a":1}"#], not: [#"{"a":1,"b":"x"}"#]),
        SchemaCase(#"{"additionalProperties":false}"#, ["{}"], not: [#"{"a":1}"#]),
        SchemaCase(
            #"{"properties":{"\u00e9":{"type":"null"}},"required":["\u00e9"],"additionalProperties":{"type":"integer"}}"#,
            [#"{"\u00e9":null}"#, #"{"\u00e9":null,"e":1}"#],
            not: [#"{"e\u0301":null}"#, #"{"e\u0301":1}"#, #"{"\u00e9":1}"#]),
        SchemaCase(#"{"required":["\u00e9","e\u0301"]}"#, ["[]"], not: [#"{"\u00e9":1}"#, "{}"]),
        SchemaCase(#"{"properties":{"a":false}}"#, ["{}"], not: [#"{"a":1}"#]),
        SchemaCase(#"{"minProperties":1}"#, [#"{"a":1}"#, "null"], not: ["{}"]),
        SchemaCase(#"{"maxProperties":1}"#, ["{}", #"{"a":1}"#], not: [#"{"a":1,"b":2}"#]),
        SchemaCase(
            #"{"properties":{"a/b~":{"type":"null"}},"required":["a/b~"]}"#, [#"{"a/b~":null}"#],
            not: ["{}", #"{"a/b~":1}"#]),
        SchemaCase(
            #"{"type":"object","properties":{"p":{"type":"object","properties":{"n":{"type":"string"}},"required":["n"]}},"required":["p"],"additionalProperties":false}"#,
            [#"{"p":{"n":"x","m":1}}"#], not: [#"{"p":{}}"#, #"{"p":{"n":1}}"#, #"{"p":{"n":"x"},"q":1}"#, "{}"]),
    ]

    static let combinations: [SchemaCase] = [
        SchemaCase(#"{"anyOf":[{"type":"string"},{"minimum":2}]}"#, ["\"a\"", "2", "null"], not: ["1"]),
        SchemaCase(#"{"oneOf":[{"multipleOf":2},{"multipleOf":3}]}"#, ["2", "3"], not: ["1", "6", "\"a\""]),
        SchemaCase(#"{"oneOf":[{"type":"string"},{"type":"null"}]}"#, ["\"a\"", "null"], not: ["1"]),
        SchemaCase(#"{"allOf":[{"minimum":1},{"maximum":2}]}"#, ["1", "2", "\"a\""], not: ["0", "3"]),
        SchemaCase(#"{"allOf":[true,false]}"#, [], not: ["1"]),
        SchemaCase(#"{"not":{"type":"string"}}"#, ["1", "null"], not: ["\"a\""]),
        SchemaCase(#"{"not":{}}"#, [], not: ["1"]),
        SchemaCase(#"{"not":{"not":{"type":"string"}}}"#, ["\"a\""], not: ["1"]),
        SchemaCase(#"{"type":"integer","anyOf":[{"maximum":0},{"minimum":10}]}"#, ["0", "10"], not: ["5", "\"a\""]),
        SchemaCase(
            #"{"anyOf":[{"properties":{"k":{"const":"a"},"x":{"type":"integer"}},"required":["k","x"]},{"properties":{"k":{"const":"b"}},"required":["k"]}]}"#,
            [#"{"k":"a","x":1}"#, #"{"k":"b"}"#], not: [#"{"k":"a"}"#, #"{"k":"c"}"#, "{}"]),
    ]

    static let references: [SchemaCase] = [
        SchemaCase(##"{"$ref":"#/$defs/n","$defs":{"n":{"type":"integer"}}}"##, ["1"], not: ["\"a\""]),
        SchemaCase(##"{"$ref":"#/definitions/n","definitions":{"n":{"type":"integer"}}}"##, ["1"], not: ["\"a\""]),
        SchemaCase(##"{"$ref":"#/$defs/n","maximum":2,"$defs":{"n":{"type":"integer"}}}"##, ["1"], not: ["3", "1.5"]),
        SchemaCase(
            ##"{"items":{"$ref":"#/$defs/a~1b%20c"},"$defs":{"a/b c":{"type":"null"}}}"##, ["[null]"], not: ["[1]"]),
        SchemaCase(
            ##"{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#"}},"required":["v"],"additionalProperties":false}"##,
            [#"{"v":1}"#, #"{"v":1,"next":{"v":2,"next":{"v":3}}}"#],
            not: [#"{"v":1,"next":{"v":"x"}}"#, #"{"v":1,"next":{}}"#]),
        SchemaCase(
            ##"{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/tree"},{"$ref":"#/$defs/leaf"}]}},"leaf":{"type":"integer"}}}"##,
            ["[]", "[1,[2,[3]]]"], not: ["1", "[1,[\"a\"]]"]),
        SchemaCase(
            ##"{"$ref":"#/$defs/e\u0301","$defs":{"e\u0301":{"type":"integer"}}}"##, ["1"], not: ["null"]),
        SchemaCase(#"{"$defs":{"unused":{"type":"null"}},"type":"integer"}"#, ["1"], not: ["null"]),
    ]
}
