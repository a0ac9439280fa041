import Foundation
import Hablare
import Testing

@testable import HablareCommand

@Suite struct RootTests {
    @Test(arguments: [
        "narrate", "ps", "show", "watch", "stream", "logs", "cancel", "retry", "rm", "work", "cost", "voices", "doctor",
    ])
    func `The help of every command has examples`(name: String) async throws {
        let stage = try Stage()
        #expect(await stage.run(name, "--help") == .success)
        #expect(stage.output.contains("EXAMPLES:\n  hablare \(name)") || stage.output.contains("hablare \(name)"))
        #expect(stage.output.contains("USAGE: hablare \(name)"))
        #expect(stage.errors.isEmpty)
    }

    @Test func `Without a command there is help, and a version when asked`() async throws {
        let stage = try Stage()
        #expect(await stage.run() == .success)
        #expect(stage.output.contains("SUBCOMMANDS:"))
        stage.clearScreen()
        #expect(await stage.run("--version") == .success)
        #expect(stage.output == "\(RootCommand.version)\n")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `Shells get completions`(shell: String) async throws {
        let stage = try Stage()
        #expect(await stage.run("--generate-completion-script", shell) == .success)
        #expect(stage.output.contains("narrate"))
    }

    @Test func `Voices are listed and filtered`() async throws {
        let stage = try Stage()
        #expect(await stage.run("voices", "--language", "de") == .success)
        #expect(stage.output.contains("de"))
        #expect(!stage.output.contains("en-us"))
        #expect(await stage.run("voices", "--provider", "nobody") == .unavailable)
    }
}
