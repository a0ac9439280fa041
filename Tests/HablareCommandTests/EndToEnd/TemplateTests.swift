import Foundation
import Hablare
import HablareJSON
import HablareTestFiles
import HablareTestServers
import Testing

@testable import HablareCommand

/// `hablare template` and `generate -t`, end to end.
@Suite(.timeLimit(.minutes(5))) struct TemplateTests {
    private func file(_ name: String, of stage: Stage) -> URL {
        stage.folder.url.appending(path: ".config/hablare/templates/\(name).yaml")
    }

    private func write(_ text: String, to name: String, of stage: Stage) throws {
        let file = file(name, of: stage)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func prompts(_ fake: FakeService) -> [String] {
        fake.bodies.last?[member: "messages"]?.elements.map { message in
            let content = message[member: "content"] ?? .null
            let text = content.string ?? content.elements.compactMap { $0[member: "text"]?.string }.joined()
            return "\(message[member: "role"]?.string ?? "?"): \(text)"
        } ?? []
    }

    // MARK: generate -t

    @Test func `A template gives prompt, instructions, provider, model and parameters`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("default_provider: {generate: anthropic}\n")
            try write(
                """
                # Translates.
                system: Answer in {language}.
                prompt: |
                  Translate this:
                  {input}
                provider: openai
                model: gpt-y
                parameters: {temperature: 0.5, stop: [a, b], extra: {user: "7"}}
                defaults: {language: English}
                """, to: "translate", of: stage)
            #expect(await stage.run("generate", "-t", "translate", "Hola.") == .success, "\(stage.errors)")
            #expect(prompts(fake) == ["system: Answer in English.", "user: Translate this:\nHola.\n"])
            let body = try #require(fake.bodies.last)
            #expect(
                body[member: "model"] == "gpt-y" && body[member: "temperature"] == 0.5
                    && body[member: "stop"] == ["a", "b"])
            #expect(body[member: "user"] == "7")
            let words = [
                "generate", "-t", "translate", "-p", "language=German", "-m", "gpt-z", "--parameter", "temperature=0.1",
                "Hola.",
            ]
            #expect(await stage.run(words) == .success, "\(stage.errors)")
            #expect(prompts(fake).first == "system: Answer in German.")
            #expect(fake.bodies.last?[member: "model"] == "gpt-z" && fake.bodies.last?[member: "temperature"] == 0.1)
            // The model of the template is one of its provider.
            let other = [
                "generate", "-t", "translate", "-s", "Be brief.", "--provider", "anthropic", "--parameter", "extra={}",
                "Hola.",
            ]
            #expect(await stage.run(other) == .success, "\(stage.errors)")
            #expect(
                fake.bodies.last?[member: "model"] == "claude-x" && fake.bodies.last?[member: "system"] == "Be brief.")
        }
    }

    @Test func `Input without a place goes before the prompt, and may be missing`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("default_provider: {generate: openai}\n")
            try write("prompt: Write a commit message.\n", to: "commit", of: stage)
            #expect(await stage.run("generate", "-t", "commit", input: "+ whale\n") == .success)
            #expect(prompts(fake) == ["user: + whale\n\nWrite a commit message."])
            #expect(await stage.run("generate", "-t", "commit") == .success)
            #expect(prompts(fake) == ["user: Write a commit message."])
            #expect(await stage.run("generate", "-t", "commit", "In Spanish.", input: "+ whale") == .success)
            #expect(prompts(fake) == ["user: + whale\n\nIn Spanish.\n\nWrite a commit message."])
            try write("system: Be brief.\n", to: "brief", of: stage)
            #expect(await stage.run("generate", "-t", "brief", "Whales?") == .success)
            #expect(prompts(fake) == ["system: Be brief.", "user: Whales?"])
            #expect(await stage.run("generate", "-c", "-t", "commit") == .success)
            #expect(prompts(fake).count == 4 && prompts(fake).last == "user: Write a commit message.")
        }
    }

    @Test(arguments: [
        "schema: {type: object, properties: {name: {type: string}, tons: {type: integer}}, required: [name]}",
        "schema: whale.json",
    ])
    func `A template's schema is the answer's`(line: String) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("default_provider: {generate: openai}\n")
            try write("prompt: A whale.\n\(line)\n", to: "whale", of: stage)
            try Data(#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#.utf8).write(
                to: file("whale", of: stage).deletingLastPathComponent().appending(path: "whale.json"))
            #expect(await stage.run("generate", "-t", "whale") == .success, "\(stage.errors)")
            #expect(stage.output.contains("\"name\" : \"Moby\"") && fake.bodies.last?[member: "response_format"] != nil)
            #expect(await stage.run("generate", "-t", "whale", "--stream") == .usage)
            #expect(stage.errors.contains("--sample and --schema cannot be combined with --stream"))
        }
    }

    @Test func `A bad use of a template is refused before any call`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("default_provider: {generate: openai}\n")
            try write("prompt: Say {greeting} to {name}.\n", to: "greet", of: stage)
            for (words, status, problem) in [
                (["-t", "gret"], CommandStatus.inputMissing, "There is no template gret. Did you mean greet?"),
                (
                    ["-t", "greet"], .usage,
                    "Template greet needs greeting, name. Pass -p greeting=VALUE -p name=VALUE."
                ),
                (["-t", "greet", "-p", "greting=Hi"], .usage, "has no placeholder greting. Did you mean greeting?"),
                (["-t", "../greet"], .usage, "A template's name has no /"),
                (["-t", ".greet"], .usage, "No template has this name"),
                (["-p", "a=b", "Hi"], .usage, "Add --template"),
                (["-t", "greet", "-p", "input=b"], .usage, "The input of a template is the prompt"),
                (["-t", "greet", "-p", "name=a", "-p", "name=b"], .usage, "A placeholder has two values"),
                (["-t", "greet", "-p", "name"], .usage, "invalid for '-p <name=value>'"),
                (
                    ["-t", "greet", "-p", "name=a", "-p", "greeting=b", "--repairs", "2"], .usage,
                    "the template has none"
                ),
            ] {
                stage.clearScreen()
                #expect(await stage.run(["generate"] + words) == status, "\(words): \(stage.errors)")
                #expect(stage.errors.contains(problem), "\(words): \(stage.errors)")
            }
            #expect(fake.server.connectionCount == 0)
        }
    }

    @Test(arguments: [
        ("", "Line 1, column 1: It is empty"),
        ("promt: x\n", "Line 1, column 1: There is no key promt. Did you mean prompt?"),
        ("model: x\n", "It has neither a prompt nor a system"),
        ("prompt: {a: b}\n", "Line 1, column 1: prompt must be a text"),
        ("prompt:\n", "Line 1, column 1: prompt must be a text"),
        ("prompt: x\nmodel: 'a\n", "It is not valid YAML from here"),
        ("prompt: x\nprompt: y\n", "occurs more than once"),
        ("prompt: x\nprovider: a b\n", "Line 2, column 11: provider must be the name of a provider"),
        ("prompt: x\nparameters: [a]\n", "parameters must have keys with values"),
        ("prompt: x\ndefaults: {b: c}\n", "Line 1, column 1: defaults: b is in none of the texts"),
        ("prompt: '{input}'\ndefaults: {input: c}\n", "input is the input, which has no default"),
        ("prompt: &a x\nsystem: *a\n", "Anchors and aliases"),
        ("- prompt: x\n", "A template must have keys with values"),
        (
            "prompt: x\nparameters: {a: \(String(repeating: "[", count: 80) + String(repeating: "]", count: 80))}",
            "nested too deeply"
        ),
    ])
    func `An invalid file is reported with its line`(text: String, problem: String) async throws {
        let stage = try Stage()
        try write(text, to: "bad", of: stage)
        #expect(await stage.run("generate", "--provider", "espeak-ng", "-t", "bad", "x") == .configuration)
        #expect(stage.errors.contains("bad.yaml is invalid.") && stage.errors.contains(problem), "\(stage.errors)")
    }

    @Test func `A prompt may have signs of anchors and of Markdown`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("default_provider: {generate: openai}\n")
            try write("prompt: |\n  Use *bold* and &nbsp; for R&D, 5 * 3.\n", to: "marks", of: stage)
            #expect(await stage.run("generate", "-t", "marks") == .success, "\(stage.errors)")
            #expect(prompts(fake) == ["user: Use *bold* and &nbsp; for R&D, 5 * 3.\n"])
        }
    }

    // MARK: The commands

    @Test func `Templates are written, listed, shown, replaced and removed`() async throws {
        let stage = try Stage()
        #expect(await stage.run("template", "list") == .success && stage.errors.contains("There are no templates"))
        let text = "Say \"{greeting}\":\n\n  {input}\n"
        let words = [
            "template", "set", "greet", text, "-s", "Be {mood}: yes", "--provider", "openai", "-m", "gpt-x", "-p",
            "mood=kind", "--parameter", "temperature=0.5", "--parameter", #"stop=["a"]"#,
        ]
        #expect(await stage.run(words) == .success, "\(stage.errors)")
        #expect(stage.output == "wrote \(file("greet", of: stage).path)\n")
        stage.clearScreen()
        #expect(await stage.run("template", "show", "greet") == .success)
        #expect(
            stage.output == """
                provider: "openai"
                model: "gpt-x"
                system: "Be {mood}: yes"
                prompt: |
                  Say "{greeting}":

                    {input}
                parameters:
                  "temperature": 0.5
                  "stop": ["a"]
                defaults:
                  mood: "kind"

                """)
        stage.clearScreen()
        #expect(await stage.run("template", "list", "--json") == .success)
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [[String: Any]])
        #expect(rows.first?["placeholders"] as? [String] == ["mood", "greeting", "input"])
        #expect(rows.first?["prompt"] as? String == text)
        #expect(await stage.run("template", "set", "greet", "Hi") == .usage)
        #expect(stage.errors.contains("Pass --replace to replace it"))
        #expect(await stage.run("template", "set", "greet", "-", "--replace", input: "Hi there") == .success)
        stage.clearScreen()
        #expect(await stage.run("template", "show", "greet") == .success && stage.output == "prompt: \"Hi there\"\n")
        #expect(await stage.run("template", "rm", "greet") == .success)
        #expect(await stage.run("template", "rm", "greet") == .inputMissing)
        #expect(await stage.run("template", "show", "greet") == .inputMissing)
    }

    @Test(arguments: [
        (["x"], CommandStatus.usage, "A template needs a prompt"),
        (["a/b", "Hi"], .usage, "has no /"),
        (["x", "Hi", "--provider", "a b"], .configuration, "provider must be"),
        (["x", "Hi", "-p", "who=me"], .configuration, "defaults: who is in none of the texts"),
        (["x", "Hi", "--schema", "none.json"], .inputMissing, "There is no schema"),
        (["x", "-"], .badInput, "The prompt is empty"),
        (["x", "a\u{85}b"], .badInput, "characters that YAML cannot keep"),
    ])
    func `What cannot be a template is not written`(words: [String], status: CommandStatus, problem: String)
        async throws
    {
        let stage = try Stage()
        #expect(await stage.run(["template", "set"] + words) == status, "\(stage.errors)")
        #expect(stage.errors.contains(problem), "\(stage.errors)")
        #expect(!FileManager.default.fileExists(atPath: file("x", of: stage).path))
    }

    @Test func `An invalid template does not hide the others`() async throws {
        let stage = try Stage()
        try write("promt: x\n", to: "bad", of: stage)
        try write("prompt: Hi\n", to: "good", of: stage)
        try write("no template", to: "../other", of: stage)
        #expect(await stage.run("template", "list") == .incomplete)
        #expect(stage.output.contains("good") && stage.errors.contains("bad.yaml is invalid"))
        #expect(!stage.output.contains("other"))
    }

    @Test func `The editor begins a template, and an invalid text is kept`() async throws {
        let stage = try Stage()
        var composition = stage.composition(["template", "edit", "new"])
        composition.runEditor = { _, _ in 0 }
        #expect(await HablareCommand.execute(in: composition) == .success, "\(stage.errors)")
        #expect(stage.errors.contains("To use it: hablare generate -t new"))
        composition.runEditor = { _, file in
            try Data("prompt: x\nmodle: y\n".utf8).write(to: file)
            return 0
        }
        #expect(await HablareCommand.execute(in: composition) == .configuration)
        #expect(stage.errors.contains("Line 2, column 1: There is no key modle. Did you mean model?"))
        #expect(stage.errors.contains("Your text is kept. To correct it: hablare template edit new"))
        #expect(try Data(contentsOf: file("new", of: stage)) == Data("prompt: x\nmodle: y\n".utf8))
    }
}
