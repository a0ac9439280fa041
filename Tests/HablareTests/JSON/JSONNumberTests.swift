import Foundation
import Testing

@testable import Hablare
@testable import HablareJSON
@testable import HablareStructured

/// Numbers with the semantics of JSON.
@Suite struct JSONNumberTests {
    @Test("Equal numbers are equal in any notation")
    func equality() {
        #expect(JSONNumber(.double(1)) == JSONNumber(.int(1)))
        #expect(JSONNumber(.double(-0.0)) == JSONNumber(.int(0)))
        #expect(JSONNumber(.double(.nan)) == nil && JSONNumber(.double(.infinity)) == nil)
        #expect(JSONNumber(.string("1")) == nil && JSONNumber(.bool(true)) == nil)
    }

    @Test(
        "Comparison of integers and doubles is exact",
        arguments: [
            (.int(9_007_199_254_740_993), .double(9_007_199_254_740_992.0), false),
            (.double(9_007_199_254_740_992.0), .int(9_007_199_254_740_993), true),
            (.int(.max), .double(0x1p63), true), (.double(0x1p63), .int(.max), false),
            (.double(-1e300), .int(.min), true), (.int(.min), .double(-1e300), false),
            (.int(1), .double(1.5), true), (.double(1.5), .int(2), true), (.int(2), .double(1.5), false),
            (.int(-2), .double(-1.5), true), (.double(-1.5), .int(-2), false), (.int(1), .double(1), false),
        ] as [(ParameterValue, ParameterValue, Bool)])
    func comparison(left: ParameterValue, right: ParameterValue, isLess: Bool) throws {
        let (left, right) = (try #require(JSONNumber(left)), try #require(JSONNumber(right)))
        #expect((left < right) == isLess)
    }

    @Test(
        "multipleOf is checked on the decimal digits as written",
        arguments: [
            (.double(0.3), .double(0.1), true), (.double(0.35), .double(0.1), false), (.int(9), .int(3), true),
            (.int(10), .int(3), false), (.double(4.5), .double(1.5), true), (.int(0), .double(0.7), true),
            (.int(9_007_199_254_740_993), .int(2), false), (.double(19.99), .double(0.01), true),
            (.double(19.995), .double(0.01), false), (.int(-6), .int(4), false), (.int(.min), .int(1), true),
            (.double(2_251_799_813_685_248.5), .int(1), false), (.double(2_251_799_813_685_248.5), .double(0.5), true),
            (.double(1e308), .double(0.123456789), false), (.double(1e308), .int(1_000_000), true),
            (.double(1e308), .int(7), false), (.double(1e17), .double(0.1), true), (.double(0.1), .double(1e17), false),
            (.double(.leastNonzeroMagnitude), .double(.leastNonzeroMagnitude), true),
            (.double(2 * .leastNonzeroMagnitude), .double(.leastNonzeroMagnitude), true),
            (.double(0.1 + 0.2), .double(0.1), false), (.double(-0.3), .double(0.1), true),
            (.double(0), .double(1e300), true), (.int(20), .double(0.25), true),
            (.int(.min), .double(0.5), true), (.int(.max), .double(1e19), false), (.int(9), .double(4.5), true),
            (.double(1.8e19), .int(.max), false), (.double(1e19), .int(10_000_000_000_000), true),
        ] as [(ParameterValue, ParameterValue, Bool)])
    func multiples(number: ParameterValue, step: ParameterValue, isMultiple: Bool) throws {
        let (number, step) = (try #require(JSONNumber(number)), try #require(JSONNumber(step)))
        #expect(number.isMultiple(of: step) == isMultiple)
    }

    @Test("A value that nests too deeply or has a non-finite number has no normal form")
    func normalForm() {
        var value: ParameterValue = 1.0
        for _ in 0..<64 { value = [value] }
        #expect(value.normalized() != nil)
        #expect(ParameterValue.array([value]).normalized() == nil)
        #expect(ParameterValue.object(["a": .double(.nan)]).normalized() == nil)
        #expect(ParameterValue.object(["a": [1.0]]).normalized() == ["a": [1]])
    }

    @Test("A JSON pointer escapes special characters and omits names that must not be shown")
    func pointers() {
        let pointer = JSONPointer()["a/b"][0]["m~n"]
        #expect(pointer.description == "/a~1b/0/m~0n")
        #expect(pointer.text(showing: ["m~n"]) == "/*/0/m~0n")
        #expect(JSONPointer()["7"][7].text(showing: []) == "/*/7")
        #expect(JSONPointer().description.isEmpty)
        #expect(JSONPointer.token(fragment: "a~1b%20~0") == "a/b ~")
        #expect(JSONPointer.token(fragment: "a~2") == nil && JSONPointer.token(fragment: "%zz") == nil)
    }
}
