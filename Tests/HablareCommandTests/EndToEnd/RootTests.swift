import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite struct RootTests {
    @Test(arguments: [
        "generate", "prune", "narrate", "speak", "image", "embed", "ps", "show", "watch", "stream", "logs", "cancel",
        "retry", "rm", "work",
        "cost", "providers", "voices", "keys", "doctor", "config", "template", "init",
    ])
    func `The help of every command has examples`(name: String) async throws {
        let stage = try Stage()
        #expect(await stage.run(name, "--help") == .success)
        #expect(stage.output.contains("EXAMPLES:\n  hablare \(name)") || stage.output.contains("hablare \(name)"))
        #expect(stage.output.contains("USAGE: hablare \(name)"))
        #expect(stage.errors.isEmpty)
    }

    @Test(arguments: [
        "config get", "config set", "config list", "config edit", "config path", "template list", "template show",
        "template set", "template edit", "template rm",
    ])
    func `The help of every subcommand has examples`(name: String) async throws {
        let stage = try Stage()
        #expect(await stage.run(name.split(separator: " ").map(String.init) + ["--help"]) == .success)
        #expect(stage.output.contains("EXAMPLES:\n  ") && stage.output.contains("hablare \(name)"))
    }

    @Test func `The help lists every exit status`() async throws {
        let stage = try Stage()
        #expect(await stage.run("--help") == .success)
        let words = stage.output.split(whereSeparator: \.isWhitespace).drop { $0 != "STATUS:" }
        for status in [0, 1, 2, 64, 65, 66, 69, 73, 74, 75, 78, 130, 141, 143] {
            #expect(words.contains("\(status)"), "\(status)")
        }
    }

    @Test func `A provider without speech has no voices`() async throws {
        let stage = try Stage(others: [InstalledProvider(provider: ScriptedProvider(id: "writer"))])
        #expect(await stage.run("voices", "--provider", "writer") == .success)
        #expect(stage.output.isEmpty)
        #expect(stage.errors == "writer has no voices: it does not answer with audio.\n")
        stage.clearScreen()
        #expect(await stage.run("voices", "--provider", "writer", "--json") == .success)
        #expect(stage.output.contains("[") && !stage.output.contains("writer"))
        stage.clearScreen()
        #expect(await stage.run("voices") == .success)
        #expect(stage.output.contains("en-us") && stage.errors.isEmpty)
    }

    @Test func `Without a command there is help, and --version prints the version`() async throws {
        let stage = try Stage()
        #expect(await stage.run() == .success)
        #expect(stage.output.contains("SUBCOMMANDS:"))
        stage.clearScreen()
        #expect(await stage.run("--version") == .success)
        #expect(stage.output == "\(RootCommand.version)\n")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `Completion scripts exist for the shells`(shell: String) async throws {
        let stage = try Stage()
        #expect(await stage.run("--generate-completion-script", shell) == .success)
        #expect(["narrate", "speak", "image", "embed"].allSatisfy { stage.output.contains($0) })
    }

    @Test func `Voices are listed and filtered`() async throws {
        let stage = try Stage()
        #expect(await stage.run("voices", "--language", "de") == .success)
        #expect(stage.output.contains("de"))
        #expect(!stage.output.contains("en-us"))
        #expect(await stage.run("voices", "--provider", "nobody") == .unavailable)
    }
}
