import Foundation
import Hablare
import HablareJSON
import HablareTestFiles
import HablareTestKit
import HablareTestServers
import Testing

@testable import HablareCommand

@Suite(.timeLimit(.minutes(5))) struct PromptInputTests {
    @Test(arguments: [
        ("a diff", "Explain.", "a diff\n\nExplain."), ("a diff\n", "Explain.", "a diff\n\nExplain."),
        ("a\r\nb\r\n\n", "Explain.", "a\r\nb\n\nExplain."), ("", "Explain.", "Explain."),
        (" \n", "Explain.", "Explain."),
        ("a diff\n", " ", "a diff\n"), ("  indented", "Explain.", "  indented\n\nExplain."),
    ])
    func `Piped text goes before the prompt, with a blank line`(input: String, prompt: String, combined: String) {
        #expect(PromptInput.combined(input, before: prompt) == combined)
    }

    @Test func `Piped content that is no text goes beside the prompt`() throws {
        let picture = FakeService.Manner().picture
        let input = try #require(PromptInput(picture, before: "Which whale?"))
        #expect(input.text == "Which whale?" && input.attachment == .image(Body(picture), .png))
        #expect(PromptInput(Data([0xFF, 0, 1]), before: "What is it?") == nil)
    }

    @Test func `Only pipes and files are read beside a prompt`() throws {
        let folder = try TemporaryFolder(.disk)
        let file = folder.url.appending(path: "a")
        try Data("text".utf8).write(to: file)
        #expect(try InputFile.pipedInput(FileHandle(forReadingFrom: file)) {} == Data("text".utf8))
        let pipe = Pipe()
        try pipe.fileHandleForWriting.close()
        #expect(try InputFile.pipedInput(pipe.fileHandleForReading) {} == Data())
        for device in ["/dev/null", "/dev/zero"] {
            #expect(try InputFile.pipedInput(FileHandle(forReadingFrom: URL(filePath: device))) {} == nil)
        }
    }

    @Test func `A pipe that stays empty is reported and then read`() throws {
        let pipe = Pipe()
        var reports = 0
        let read = try InputFile.pipedInput(pipe.fileHandleForReading, patience: .zero) {
            reports += 1
            pipe.fileHandleForWriting.write(Data("late".utf8))
            pipe.fileHandleForWriting.closeFile()
        }
        #expect(read == Data("late".utf8) && reports == 1)
    }

    @Test func `generate sends the piped text and the prompt`() async throws {
        let provider = ScriptedProvider(id: "writer") { call in
            .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
        }
        let stage = try Stage(provider: provider)
        let words = ["generate", "--provider", "writer", "Explain."]
        #expect(await stage.run(words, input: "a diff\n") == .success)
        #expect(stage.output == "a diff\n\nExplain.")
        stage.clearScreen()
        #expect(await stage.run(words) == .success)
        #expect(stage.output == "Explain.")
        stage.clearScreen()
        #expect(await stage.run(["generate", "--provider", "writer", " "], input: " \n") == .badInput)
        #expect(stage.errors == "hablare: The prompt is empty. Pass one as an argument, or pipe it in.\n")
    }

    @Test func `A piped picture goes to a model, with the short options for model, instructions and files`()
        async throws
    {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write("Whales are mammals.", to: "facts.txt")
            try stage.write("Whales sing.", to: "more.txt")
            var composition = stage.composition([
                "generate", "--provider", "openai", "-m", "gpt-y", "-s", "Be short.", "-f", "facts.txt", "-f",
                "more.txt", "Which whale?",
            ])
            composition.readPipedInput = { _ in FakeService.Manner().picture }
            #expect(await HablareCommand.execute(in: composition) == .success, "\(stage.errors)")
            let body = try #require(fake.bodies.first)
            #expect(body[member: "model"] == "gpt-y")
            let text = String(decoding: try #require(fake.server.calls.first).call.body, as: UTF8.self)
            for part in ["Whales are mammals.", "Whales sing.", "Be short.", "Which whale?", "data:image"] {
                #expect(text.contains(part), "\(part)")
            }
        }
    }

    @Test func `A program refuses piped content that is no text before a call`() async throws {
        let stage = try Stage()
        var composition = stage.composition(["generate", "--provider", "espeak-ng", "Which whale?"])
        composition.readPipedInput = { _ in FakeService.Manner().picture }
        #expect(await HablareCommand.execute(in: composition) == .usage)
        #expect(stage.errors.contains("espeak-ng accepts only text, and standard input is no text."))
        composition.readPipedInput = { _ in Data([0xFF, 0, 1]) }
        #expect(await HablareCommand.execute(in: composition) == .badInput)
        #expect(stage.provider.record.calls.isEmpty)
    }
}
