import Foundation
import HablareJSON
import Testing

@testable import Hablare
@testable import HablareStructured

/// Valid and invalid values, keyword by keyword.
@Suite struct SchemaTableTests {
    @Test("A schema accepts valid values and refuses others", arguments: SchemaCase.all)
    func table(row: SchemaCase) throws {
        let schema = try JSONSchema(json: Data(row.schema.utf8))
        for text in row.fitting {
            let violations = schema.validate(try JSONReader.value(of: Data(text.utf8)))
            #expect(violations.isEmpty, "\(text) fits")
        }
        for text in row.others {
            let violations = schema.validate(try JSONReader.value(of: Data(text.utf8)))
            #expect(!violations.isEmpty, "\(text) does not fit")
        }
    }

    @Test("The table agrees with the slow model of schemas", arguments: SchemaCase.all)
    func model(row: SchemaCase) throws {
        let schema = try JSONReader.value(of: Data(row.schema.utf8))
        guard SchemaModel.understands(schema) else { return }
        for (texts, fits) in [(row.fitting, true), (row.others, false)] {
            for text in texts {
                let value = try JSONReader.value(of: Data(text.utf8))
                #expect(SchemaModel(root: schema).takes(value, schema) == fits, "\(text)")
            }
        }
    }

    @Test("The table has at least 80 cases")
    func count() {
        #expect(SchemaCase.all.count >= 80)
    }

    @Test("A schema keeps its source, and equal schemas are equal")
    func source() throws {
        let source: ParameterValue = ["type": "string", "description": "A word."]
        #expect(try JSONSchema(source).source == source)
        #expect(try JSONSchema(source) == JSONSchema(json: Data(#"{"description":"A word.","type":"string"}"#.utf8)))
        #expect(try JSONSchema(source) != JSONSchema(["type": "string"]))
        let (one, other) = (try JSONSchema(["const": "\u{E9}"]), try JSONSchema(["const": "e\u{301}"]))
        #expect(one != other && Set([one, other, one]).count == 2)
    }
}
