import Foundation
import Testing

@testable import Hablare
@testable import HablareStructured

/// Schemas that are invalid or would be misunderstood.
@Suite struct SchemaRefusalTests {
    @Test(
        "An invalid schema is refused with the path of the error",
        arguments: [
            ("1", "The schema is not a schema"), ("[]", "The schema is not a schema"), ("null", "is not a schema"),
            (#"{"type":"text"}"#, "/type"), (#"{"type":1}"#, "/type"), (#"{"type":[]}"#, "/type"),
            (#"{"enum":[]}"#, "/enum"), (#"{"enum":1}"#, "/enum"), (#"{"minimum":"1"}"#, "/minimum"),
            (#"{"multipleOf":0}"#, "/multipleOf"), (#"{"multipleOf":-1}"#, "/multipleOf"),
            (#"{"exclusiveMinimum":true}"#, "/exclusiveMinimum"),
            (#"{"minLength":-1}"#, "/minLength"), (#"{"minLength":1.5}"#, "/minLength"),
            (#"{"minLength":3,"maxLength":2}"#, "/maxLength"),
            (#"{"pattern":"("}"#, "/pattern has a group that is not closed"),
            (#"{"pattern":"(?=a)"}"#, "/pattern has a lookahead"),
            (#"{"pattern":1}"#, "/pattern"), (#"{"format":1}"#, "/format"), (#"{"required":"a"}"#, "/required"),
            (#"{"required":[1]}"#, "/required"), (#"{"required":["a","a"]}"#, "/required"),
            (#"{"properties":[]}"#, "/properties"),
            (#"{"properties":{"a":{"b/c":1}}}"#, "/properties/a/b~1c"),
            (#"{"properties":{"a":1}}"#, "/properties/a is not a schema"),
            (#"{"items":[{}]}"#, "/items is a list"), (#"{"prefixItems":[]}"#, "/prefixItems"),
            (#"{"items":{"type":"x"}}"#, "/items/type"),
            (#"{"uniqueItems":1}"#, "/uniqueItems"), (#"{"anyOf":[]}"#, "/anyOf"),
            (#"{"anyOf":[{},{"oneOf":{}}]}"#, "/anyOf/1/oneOf"),
            (#"{"not":1}"#, "/not"), (#"{"additionalProperties":"no"}"#, "/additionalProperties"),
            (#"{"$ref":1}"#, "/$ref"), (#"{"$ref":"other.json"}"#, "/$ref refers"),
            (##"{"$ref":"#/$defs/a"}"##, "/$ref refers to a definition"),
            (##"{"$ref":"#/properties/a"}"##, "/$ref"), (#"{"$defs":[]}"#, "/$defs"),
            (#"{"$defs":{"a":1}}"#, "/$defs/a"),
            (##"{"$ref":"#/$defs/e\u0301","$defs":{"\u00e9":{}}}"##, "/$ref refers to a definition"),
            (#"{"properties":{"a":{"$defs":{}}}}"#, "/properties/a/$defs"),
        ])
    func refusals(schema: String, message: String) throws {
        let error = #expect(throws: JSONSchema.Fault.self) { _ = try JSONSchema(json: Data(schema.utf8)) }
        let text = try #require(error).description
        #expect(text.contains(message), "\(text)")
    }

    @Test(
        "An unsupported keyword that changes the meaning is refused, as is a misspelled one",
        arguments: [
            "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies", "if", "then",
            "else", "contains", "minContains", "unevaluatedProperties", "unevaluatedItems", "additionalItems",
            "$anchor",
            "$dynamicRef", "$vocabulary", "nullable", "requried", "Type", "",
        ])
    func notUnderstood(keyword: String) {
        let error = #expect(throws: JSONSchema.Fault.self) {
            _ = try JSONSchema(["properties": ["a": [keyword: true]]])
        }
        #expect(error?.pointer == "/properties/a/\(keyword)")
    }

    @Test("A schema fault has a JSON pointer and advice, and makes a request invalid")
    func fault() throws {
        let error = #expect(throws: JSONSchema.Fault.self) {
            _ = try JSONSchema(["properties": ["a/b": ["items": ["type": "text"]]]])
        }
        let fault = try #require(error)
        #expect(fault.pointer == "/properties/a~1b/items/type" && fault.byte == nil)
        #expect(fault.description.hasPrefix("The schema at /properties/a~1b/items/type is not one of object, "))
        #expect(fault.description.hasSuffix(" Correct the schema."))
        #expect(AIServiceError(fault).code == .invalidRequest && AIServiceError(fault).message == fault.description)
    }

    @Test("A schema that is invalid JSON is refused with the byte of the error")
    func noJSON() {
        let error = #expect(throws: JSONSchema.Fault.self) { _ = try JSONSchema(json: Data(#"{"type": string}"#.utf8)) }
        #expect(error?.byte == 9 && error?.pointer == "" && error?.description.contains("byte 9") == true)
        let cut = #expect(throws: JSONSchema.Fault.self) { _ = try JSONSchema(json: Data(#"{"type":"#.utf8)) }
        #expect(cut?.byte == 8 && cut?.reason.contains("ends too early") == true)
        let twice = #expect(throws: JSONSchema.Fault.self) {
            _ = try JSONSchema(json: Data(#"{"title":"a","title":"b"}"#.utf8))
        }
        #expect(twice?.byte == 13 && twice?.reason.contains("a duplicate name") == true)
    }

    @Test(
        "A reference that leads to itself without entering the value is refused",
        arguments: [
            ##"{"$ref":"#"}"##, ##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
            ##"{"anyOf":[{"type":"null"},{"$ref":"#"}]}"##, ##"{"not":{"allOf":[{"$ref":"#"}]}}"##,
            ##"{"$defs":{"a":{"oneOf":[{"$ref":"#/$defs/a"}]}}}"##,
        ])
    func endless(schema: String) {
        let error = #expect(throws: JSONSchema.Fault.self) { _ = try JSONSchema(json: Data(schema.utf8)) }
        #expect(error?.reason.contains("leads to itself") ?? false)
    }

    @Test("A chain of schemas for one value has a maximum length")
    func longChain() throws {
        func chain(_ count: Int) throws -> JSONSchema {
            var definitions: [String: ParameterValue] = ["\(count)": ["type": "null"]]
            for number in 0..<count { definitions["\(number)"] = ["$ref": .string("#/$defs/\(number + 1)")] }
            return try JSONSchema(["$ref": "#/$defs/0", "$defs": .object(definitions)])
        }
        #expect(try !chain(60).validate(1).isEmpty)
        #expect(throws: JSONSchema.Fault.self) { _ = try chain(5000) }
    }

    @Test("Patterns that are too large together are refused")
    func largePatterns() throws {
        func schema(_ count: Int) throws -> JSONSchema {
            try JSONSchema(["allOf": .array(Array(repeating: ["pattern": "a{9000}"], count: count))])
        }
        #expect(try schema(11).validate("b").count == 11)
        let error = #expect(throws: JSONSchema.Fault.self) { _ = try schema(12) }
        #expect(error?.pointer == "/allOf/11/pattern")
    }

    @Test("A schema that is too deep or too large is refused")
    func size() {
        var deep: ParameterValue = ["type": "null"]
        for _ in 0..<40 { deep = ["items": deep, "prefixItems": [["not": deep]]] }
        #expect(throws: JSONSchema.Fault.self) { _ = try JSONSchema(deep) }
        let wide = Dictionary(uniqueKeysWithValues: (0..<10_001).map { ("p\($0)", ParameterValue.object([:])) })
        #expect(throws: JSONSchema.Fault.self) { _ = try JSONSchema(["properties": .object(wide)]) }
        let defined = #expect(throws: JSONSchema.Fault.self) { _ = try JSONSchema(["$defs": .object(wide)]) }
        #expect(defined?.pointer == "/$defs/p9998" && defined?.reason.contains("exceeds the maximum") == true)
    }
}
