import Foundation
import Hablare
import HablareData
import Testing

@Suite("Conversion of contents to values")
struct ResponseConvertibleTests {
    private struct Recipe: Decodable, Sendable, Equatable, ResponseConvertible {
        var name: String
        var minutes: Int
    }

    private let context = ConversionContext(requestID: UUID())

    private func value<Value: ResponseConvertible>(_ content: ResponseContent, as type: Value.Type = Value.self) throws
        -> Value
    {
        try Value.value(of: content, in: context)
    }

    private func code<Value: ResponseConvertible>(_ content: ResponseContent, as type: Value.Type) -> MergeError.Code? {
        do {
            _ = try type.value(of: content, in: context)
            return nil
        } catch {
            return (error as? MergeError)?.code
        }
    }

    @Test("Only text and a structured text become a string")
    func texts() throws {
        #expect(try value(.text("Grüße"), as: String.self) == "Grüße")
        #expect(try value(.structured("Grüße"), as: String.self) == "Grüße")
        #expect(try value(.text("x"), as: String?.self) == "x")
        #expect(code(.audio(Body(Data()), .mp3), as: String.self) == .typeMismatch)
        #expect(code(.structured(3), as: String.self) == .typeMismatch)
        #expect(code(.embedding([1]), as: String.self) == .typeMismatch)
        #expect(code(.text(Body(Data([0xFF, 0xFE]))), as: String.self) == .invalidContent)
    }

    @Test("All content with bytes becomes data")
    func data() throws {
        let bytes = Data([1, 2, 3])
        #expect(try value(.data(Body(bytes)), as: Data.self) == bytes)
        #expect(try value(.audio(Body(bytes), .wav), as: Data.self) == bytes)
        #expect(try value(.image(Body(bytes), .png), as: Data?.self) == bytes)
        #expect(try value(.text("ab"), as: Data.self) == Data("ab".utf8))
        #expect(code(.structured(1), as: Data.self) == .typeMismatch)
        #expect(code(.embedding([1]), as: Data.self) == .typeMismatch)
    }

    @Test(
        "A text that is a number becomes one",
        arguments: [("7", 7), (" 42\n", 42), ("-3", -3), ("5.0", 5), ("1e3", 1000)])
    func numbers(_ text: String, _ number: Int) throws {
        #expect(try value(.text(Body(text)), as: Int.self) == number)
        #expect(try value(.text(Body(text)), as: Int64.self) == Int64(number))
        #expect(try value(.text(Body(text)), as: Int32.self) == Int32(number))
        #expect(try value(.text(Body(text)), as: Double.self) == Double(number))
        #expect(try value(.text(Body(text)), as: Float.self) == Float(number))
        #expect(try value(.text(Body(text)), as: Decimal.self) == Decimal(number))
    }

    @Test(
        "A text that is no integer does not become one",
        arguments: ["", "seven", "7 apples", "nan", "inf", "3.5", "99999999999999999999"])
    func noIntegers(_ text: String) {
        #expect(code(.text(Body(text)), as: Int.self) == .invalidContent)
        #expect(code(.text(Body(text)), as: Int32.self) == .invalidContent)
    }

    @Test("Only finite numbers become numbers", arguments: ["nan", "inf", "-infinity", "1e999", "x", "12 apples"])
    func noFractions(_ text: String) {
        #expect(code(.text(Body(text)), as: Double.self) == .invalidContent)
        #expect(code(.text(Body(text)), as: Float.self) == .invalidContent)
        #expect(code(.text(Body(text)), as: Decimal.self) == .invalidContent)
    }

    @Test("Structured numbers become numbers if they fit")
    func structuredNumbers() throws {
        #expect(try value(.structured(7), as: Int.self) == 7)
        #expect(try value(.structured(7.5), as: Double.self) == 7.5)
        #expect(try value(.structured(.double(7)), as: Int.self) == 7)
        #expect(code(.structured(7.5), as: Int.self) == .invalidContent)
        #expect(code(.structured(.int(.max)), as: Int32.self) == .invalidContent)
        #expect(code(.structured(true), as: Int.self) == .typeMismatch)
        #expect(code(.image(Body(Data()), .png), as: Int.self) == .typeMismatch)
        #expect(try value(.text("0.10"), as: Decimal.self) == Decimal(string: "0.1"))
    }

    @Test(
        "Boolean texts are true, false, yes and no",
        arguments: [("true", true), ("No.", nil), (" YES\n", true), ("false", false), ("1", nil)] as [(String, Bool?)])
    func truth(_ text: String, _ truth: Bool?) throws {
        if let truth {
            #expect(try value(.text(Body(text)), as: Bool.self) == truth)
        } else {
            #expect(code(.text(Body(text)), as: Bool.self) == .invalidContent)
        }
    }

    @Test("A structured Boolean becomes a Bool, and a number does not")
    func structuredTruth() throws {
        #expect(try value(.structured(false), as: Bool.self) == false)
        #expect(code(.structured(1), as: Bool.self) == .typeMismatch)
    }

    @Test("A decodable type decodes from a structured answer, and from JSON as text and as data")
    func decodable() throws {
        let recipe = Recipe(name: "Soup", minutes: 20)
        #expect(try value(.structured(["name": "Soup", "minutes": 20]), as: Recipe.self) == recipe)
        #expect(try value(.text(#"{"name":"Soup","minutes":20}"#), as: Recipe.self) == recipe)
        #expect(try value(.data(#"{"name":"Soup","minutes":20}"#), as: Recipe.self) == recipe)
        #expect(try value(.structured(["a", "b"]), as: [String].self) == ["a", "b"])
        #expect(try value(.structured(["a": 1]), as: [String: Int].self) == ["a": 1])
        #expect(code(.audio(Body(Data()), .mp3), as: Recipe.self) == .typeMismatch)
        #expect(code(.text("Soup, twenty minutes"), as: Recipe.self) == .invalidContent)
        #expect(code(.structured(["name": "Soup"]), as: Recipe.self) == .invalidContent)
    }

    @Test("An embedding becomes a vector of singles or doubles, and nothing else")
    func embeddings() throws {
        #expect(try value(.embedding([1, 2.5]), as: [Float].self) == [1, 2.5])
        #expect(try value(.embedding([1, 2.5]), as: [Double].self) == [1, 2.5])
        #expect(try value(.structured([1, 2.5]), as: [Float].self) == [1, 2.5])
        #expect(code(.embedding([1]), as: [String].self) == .typeMismatch)
    }

    @Test("A mismatch names both types, and an unreadable answer is not quoted")
    func messages() {
        let mismatch = context.mismatch(.audio(Body(Data()), .mp3), Int.self)
        #expect(mismatch.message.contains("audio") && mismatch.message.contains("Int"))
        #expect(mismatch.requestID == context.requestID)
        do {
            _ = try value(.text(#"{"name":"secret word","minutes":"secret word"}"#), as: Recipe.self)
            Issue.record("Nothing failed")
        } catch {
            let said = "\(error) \((error as? MergeError)?.cause ?? "")"
            #expect(said.contains("secret") == false)
        }
    }
}
