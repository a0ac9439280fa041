#if os(macOS) || os(Linux)
import Hablare
import Testing

@testable import HablareProviders

@Suite struct ArgumentPlanTests {
    private func plan(_ arguments: [CommandArgument], _ placeholders: [CommandPlaceholder]) throws -> ArgumentPlan {
        try ArgumentPlan(
            CommandTemplate(
                id: "t", executable: "true", arguments: arguments, placeholders: placeholders, content: .data))
    }

    private func filled(
        _ arguments: [CommandArgument], _ placeholders: [CommandPlaceholder], _ parameters: [String: ParameterValue]
    ) throws -> [String] {
        let plan = try plan(arguments, placeholders)
        return plan.arguments(for: try plan.values(for: parameters), output: nil)
    }

    private func refusal(
        _ arguments: [CommandArgument], _ placeholders: [CommandPlaceholder], _ parameters: [String: ParameterValue]
    ) throws -> AIServiceError {
        let error = try #require(throws: AIServiceError.self) { try filled(arguments, placeholders, parameters) }
        #expect(error.code == .invalidRequest)
        return error
    }

    @Test func aPieceStaysOneArgumentWhateverItsValueContains() throws {
        let nasty = "a b; rm -rf / $(x) `y` \"z\" 'w' * {voice}\n"
        #expect(try filled(["{v}"], [CommandPlaceholder("v")], ["v": .string(nasty)]) == [nasty])
        #expect(try filled(["--v={v}!"], [CommandPlaceholder("v")], ["v": .string(nasty)]) == ["--v=\(nasty)!"])
    }

    @Test func doubledBracesAreBraces() throws {
        #expect(try filled(["{{{v}}}", "{{v}}"], [CommandPlaceholder("v")], ["v": "x"]) == ["{x}", "{v}"])
    }

    @Test func aDefaultStandsInForAnAbsentOrNullParameter() throws {
        let voice = [CommandPlaceholder("v", default: "d")]
        #expect(try filled(["{v}"], voice, [:]) == ["d"])
        #expect(try filled(["{v}"], voice, ["v": nil]) == ["d"])
        #expect(try filled(["{v}"], voice, ["v": "x"]) == ["x"])
    }

    @Test func anOptionalGroupIsThereAsAWholeOrNotAtAll() throws {
        let arguments: [CommandArgument] = ["a", .optional(["-s", "{rate}", "{unit}"]), "b"]
        let placeholders = [CommandPlaceholder("rate"), CommandPlaceholder("unit", default: "wpm")]
        #expect(try filled(arguments, placeholders, [:]) == ["a", "b"])
        #expect(try filled(arguments, placeholders, ["unit": "x"]) == ["a", "b"])
        #expect(try filled(arguments, placeholders, ["rate": 7]) == ["a", "-s", "7", "wpm", "b"])
    }

    @Test func anUnknownParameterIsRefusedWithTheNearestName() throws {
        let error = try refusal(["{voice}"], [CommandPlaceholder("voice", default: "d")], ["voise": "x"])
        #expect(error.message.contains("Did you mean voice?"))
        #expect(try refusal([], [], ["output": "/etc/passwd"]).message.contains("output"))
    }

    @Test func aMissingParameterWithoutDefaultIsRefused() throws {
        #expect(try refusal(["{v}"], [CommandPlaceholder("v")], [:]).message.contains("v is missing"))
    }

    @Test("A value may not become an option of the program", arguments: ["-x", "--output=/etc/passwd", "-", "--"])
    func smuggledOption(value: String) throws {
        let voice = [CommandPlaceholder("v")]
        #expect(try refusal(["{v}"], voice, ["v": .string(value)]).message.contains("option"))
        #expect(try refusal(["{v}.onnx"], voice, ["v": .string(value)]).message.contains("option"))
        #expect(try refusal([.optional(["-m", "{v}"])], voice, ["v": .string(value)]).message.contains("option"))
        #expect(try filled(["--v={v}"], voice, ["v": .string(value)]) == ["--v=\(value)"])
    }

    @Test func aNumberMayBeNegativeWhereItStandsAlone() throws {
        let pitch = [CommandPlaceholder("p", accepts: .integer(-10...10))]
        #expect(try filled(["{p}"], pitch, ["p": -3]) == ["-3"])
        #expect(try filled(["{p}"], pitch, ["p": "-3"]) == ["-3"])
        #expect(try filled(["{p}"], pitch, ["p": 3.0]) == ["3"])
        #expect(try refusal(["{p}x"], pitch, ["p": -3]).message.contains("option"))
    }

    @Test(
        "A value that the placeholder does not accept is refused",
        arguments: [
            (CommandPlaceholder.Values.integer(0...9), ParameterValue.int(10)), (.integer(0...9), 1.5),
            (.integer(0...9), "-x"), (.integer(0...9), "0x1"), (.integer(0...9), true), (.number(0...1), 2),
            (.number(0...1), "nan"), (.number(0...1), .double(.nan)), (.number(0...1), "inf"),
            (.name, "http://example.org/voice"), (.name, "/etc/passwd"), (.name, "a/../../b"), (.name, "a b"),
            (.name, "-v"), (.name, ".hidden"), (.name, "é"), (.text, ""), (.text, "a\0b"), (.text, .array(["a"])),
            (.text, .object(["a": 1])),
        ])
    func unusable(accepts: CommandPlaceholder.Values, value: ParameterValue) throws {
        #expect(throws: AIServiceError.self) {
            try filled(["x", "--v={v}"], [CommandPlaceholder("v", accepts: accepts)], ["v": value])
        }
    }

    @Test func theOutputFileIsOnlyWhereTheTemplateSaysIt() throws {
        let plan = try ArgumentPlan(
            CommandTemplate(
                id: "t", executable: "true", arguments: ["-o", "{output}", "{v}"],
                placeholders: [CommandPlaceholder("v")], output: .file(extension: "wav"), content: .data))
        let values = try plan.values(for: ["v": "{output}"])
        #expect(plan.arguments(for: values, output: "/t/o.wav") == ["-o", "/t/o.wav", "{output}"])
    }
}
#endif
