#if os(macOS) || os(Linux)
import Hablare
import Testing

@testable import HablareProviders

@Suite struct TemplateRulesTests {
    private static func template(
        _ arguments: [CommandArgument] = [], _ placeholders: [CommandPlaceholder] = [],
        executable: String = "true", output: CommandOutput = .standardOutput, maximum: Int = 1,
        environment: Set<String> = []
    ) -> CommandTemplate {
        var template = CommandTemplate(
            id: "t", executable: executable, arguments: arguments, placeholders: placeholders, output: output,
            content: .data, maximumOutputBytes: maximum)
        template.environment = environment
        return template
    }

    @Test(
        "An invalid template is refused when the provider is created",
        arguments: [
            (template(["{prompt}"], [CommandPlaceholder("prompt")]), "standard input"),
            (template(["--text={Prompt}"]), "standard input"),
            (template(["{voise}"], [CommandPlaceholder("voice")]), "Did you mean voice?"),
            (template([], [CommandPlaceholder("voice")]), "never uses"),
            (template(["{a}"], [CommandPlaceholder("a"), CommandPlaceholder("a")]), "two placeholders"),
            (template(["{"]), "malformed"),
            (template(["}"]), "malformed"),
            (template(["{}"]), "malformed"),
            (template(["{a b}"]), "malformed"),
            (template(["a\0b"]), "malformed"),
            (template([.optional(["-v"])]), "never left out"),
            (template([.optional(["{v}"])], [CommandPlaceholder("v", default: "x")]), "never left out"),
            (template(["{r}"], [CommandPlaceholder("r", default: "many", accepts: .integer(0...9))]), "default"),
            (template(["{v}"], [CommandPlaceholder("v", default: "-x")]), "default"),
            (template(["{output}"]), "standard output"),
            (template([], output: .file(extension: "wav")), "{output}"),
            (template(["{output}"], output: .file(extension: "../x")), "extension"),
            (template(["{output}"], output: .file(extension: "")), "extension"),
            (
                template(["{output}"], [CommandPlaceholder("output")], output: .file(extension: "wav")),
                "invalid name"
            ),
            (template(executable: ""), "program"),
            (template(executable: "bin/true"), "program"),
            (template(maximum: 0), "1 byte"),
            (template(environment: ["OPENAI_API_KEY=sk"]), "without values"), (template(environment: [""]), "variable"),
        ])
    func refused(template: CommandTemplate, says: String) throws {
        let error = try #require(throws: AIServiceError.self) { try CommandProvider(template) }
        #expect(error.code == .invalidConfiguration)
        #expect(error.message.contains(says), "\(error.message)")
    }

    @Test("Every preset is valid", arguments: CommandTemplate.presets)
    func preset(template: CommandTemplate) throws {
        #expect(try CommandProvider(template).id == template.id)
    }

    @Test(
        "Everything that changes the outcome changes the instance",
        arguments: [
            template(["a"]), template(["b"]), template(["a", "b"]), template(["a b"]),
            template(["{v}"], [CommandPlaceholder("v", default: "x")]),
            template(["{v}"], [CommandPlaceholder("v", default: "y")]),
            template([.optional(["{v}"])], [CommandPlaceholder("v")]),
            template(["{output}"], output: .file(extension: "wav")),
            template(["{output}"], output: .file(extension: "mp3")), template(executable: "false"),
        ])
    func instance(template: CommandTemplate) throws {
        let plain = try CommandProvider(Self.template(), searchPath: "/bin:/usr/bin").instance
        let other = try CommandProvider(template, searchPath: "/bin:/usr/bin").instance
        #expect(plain != other)
        #expect(plain.rawValue.hasPrefix("command:/"))
        #expect(try CommandProvider(template, searchPath: "/bin:/usr/bin").instance == other)
    }

    @Test func argumentsWithSpacesAndSeveralArgumentsAreDifferentInstances() throws {
        let one = try CommandProvider(Self.template(["a b"])).instance
        let two = try CommandProvider(Self.template(["a", "b"])).instance
        let quoted = try CommandProvider(Self.template(["a\" \"b"])).instance
        #expect(Set([one, two, quoted]).count == 3)
    }
}
#endif
