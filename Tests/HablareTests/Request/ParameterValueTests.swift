import Foundation
import Testing

@testable import Hablare

@Suite struct ParameterValueTests {
    @Test(
        "A value survives the round trip through JSON",
        arguments: [
            ParameterValue.null, true, false, .int(.max), .int(.min), 0, 0.1, 1e300, "", "é \u{0} \"", [], [:],
            [1, [2.5, [nil]], ["k": ["l": "m"]]], ["": 1, "a/b": "c"],
        ])
    func roundTrip(value: ParameterValue) throws {
        let data = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(ParameterValue.self, from: data) == value)
    }

    @Test("Any JSON decodes to a value")
    func decodes() throws {
        let json = #"{"a": [1, 1.0, -0.5, 1e2, 9223372036854775808, null, true], "b": {"c": "d"}}"#
        let value = try JSONDecoder().decode(ParameterValue.self, from: Data(json.utf8))
        #expect(value == ["a": [1, 1, -0.5, 100, 9_223_372_036_854_775_808.0, nil, true], "b": ["c": "d"]])
    }

    @Test("A literal makes its value, and the last of two equal keys wins")
    func literals() {
        let value: ParameterValue = ["a": 1, "b": 1.5, "c": "x", "d": [nil, true], "a": 2]
        #expect(
            value == .object(["a": .int(2), "b": .double(1.5), "c": .string("x"), "d": .array([.null, .bool(true)])]))
    }

    @Test("Scalars have a text, and null, arrays and objects have none")
    func texts() {
        #expect(ParameterValue.int(175).text == "175" && ParameterValue.double(0.5).text == "0.5")
        #expect(ParameterValue.bool(true).text == "true" && ParameterValue.string("x").text == "x")
        #expect(
            ParameterValue.null.text == nil && ParameterValue.array([]).text == nil
                && ParameterValue.object([:]).text == nil)
    }
}
