import Foundation
import Hablare
import HablareProviders
import HablareTestFiles
import Testing

@testable import HablareCommand

@Suite struct ProgramsFileTests {
    /// Returns the programs of a file with a text.
    private func templates(_ text: String) throws -> [CommandTemplate] {
        let folder = try TemporaryFolder(.disk)
        let home = folder.url.appending(path: ".config/hablare")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: home.appending(path: "programs.json"))
        let file = try #require(ProgramsFile(environment: ["HOME": folder.url.path]))
        return try file.templates(beside: ["espeak-ng"])
    }

    @Test func `A program is as the file defines it`() throws {
        let templates = try templates(
            """
            {
              "writer": {
                "executable": "/usr/bin/writer",
                "arguments": ["-u", "--style={style}", ["--words", "{words}"], "{heat}{name}"],
                "parameters": {
                  "style": {"default": "plain"}, "words": {"kind": "integer", "from": 1, "to": 5000},
                  "heat": {"kind": "number", "from": 0, "to": 1.5, "default": "1"},
                  "name": {"kind": "name", "default": "n"}
                },
                "answer": "text", "maximumBytes": 1000, "installation": "apt-get install writer"
              },
              "painter": {"executable": "paint", "arguments": ["{output}"], "answer": "image/png", "file": "png"},
              "singer": {"executable": "sing", "answer": "audio/ogg"}, "other": {"executable": "o", "answer": "data"}
            }
            """)
        #expect(templates.map(\.id) == ["other", "painter", "singer", "writer"])
        var writer = CommandTemplate(
            id: "writer", executable: "/usr/bin/writer",
            arguments: ["-u", "--style={style}", .optional(["--words", "{words}"]), "{heat}{name}"],
            placeholders: [
                CommandPlaceholder("heat", default: "1", accepts: .number(0...1.5)),
                CommandPlaceholder("name", default: "n", accepts: .name),
                CommandPlaceholder("style", default: "plain"),
                CommandPlaceholder("words", accepts: .integer(1...5000)),
            ],
            content: .text, installation: "apt-get install writer")
        writer.maximumOutputBytes = 1000
        #expect(templates[3] == writer)
        #expect(templates[1].output == .file(extension: "png"))
        #expect(templates.map(\.content) == [.data, .image(.png), .audio(AudioFormat(rawValue: "ogg")), .text])
    }

    @Test(
        "An invalid programs file is an error with the position",
        arguments: [
            ("{", "is invalid"), ("[]", "is invalid"),
            ("{\n  \"w\": {\n    \"executable\" 1", "It is not valid JSON at line 3, column 18: "),
            (
                #"{"w": {"executable": "w", "answer": "text", "arguments": ["{x}"]}}"#,
                "uses {x} without declaring it. Declare it as a placeholder: in programs.json under the program's key `parameters`."
            ),
            (#"{"w": {"answer": "text"}}"#, "At w: executable is missing."),
            (#"{"w": {"executable": "w"}}"#, "At w: answer is missing."),
            (
                #"{"w": {"executble": "w", "answer": "text"}}"#,
                "At w: There is no key executble. Did you mean executable?"
            ),
            (
                #"{"w": {"executable": "w", "answer": "text", "parameters": {"p": {"knd": "name"}}}}"#,
                "At w.parameters.p: There is no key knd. Did you mean kind?"
            ),
            (
                #"{"w": {"executable": "w", "answer": "text", "maximumByte": 1,}}"#,
                "It is not valid JSON at line 1, column 62: "
            ),
            (
                #"{"w": {"executable": "w", "answer": "text", "answer": "data", "maximumByte": 1}}"#,
                "the object has this name twice"
            ),
            (#"{"w": {"executable": "w", "answer": "poem"}}"#, "At w.answer: Use text, data"),
            (#"{"w": {"executable": "w", "answer": "audio/"}}"#, "At w.answer: Use text, data"),
            (#"{"w": {"executable": "w", "answer": "text", "argument": []}}"#, "Did you mean arguments?"),
            (#"{"w": {"executable": "w", "answer": "text", "arguments": ["a", 1]}}"#, "At w.arguments"),
            (#"{"w": {"executable": "a/b", "answer": "text"}}"#, "an absolute path"),
            (#"{"w": {"executable": "w", "answer": "text", "arguments": ["{prompt}"]}}"#, "the prompt is on standard"),
            (
                #"{"w": {"executable": "w", "answer": "text", "parameters": {"p": {"kind": "integer"}}}}"#,
                "Give from and to"
            ),
            (
                #"{"w": {"executable": "w", "answer": "text", "parameters": {"p": {"kind": "integer", "from": 2, "to": 1}}}}"#,
                "Give from and to"
            ),
            (#"{"espeak-ng": {"executable": "w", "answer": "text"}}"#, "is already taken by another provider"),
            (#"{"": {"executable": "w", "answer": "text"}}"#, "is already taken by another provider"),
        ])
    func wrong(text: String, message: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try templates(text) }
        #expect(failure.status == .configuration)
        #expect(failure.message.contains(message), "\(failure.message)")
        #expect(failure.message.contains("programs.json"))
    }

    @Test func `The programs file is optional and in the configuration folder`() throws {
        let folder = try TemporaryFolder(.disk)
        let file = try #require(ProgramsFile(environment: ["XDG_CONFIG_HOME": folder.url.path, "HOME": "/nowhere"]))
        #expect(file.url.path == folder.url.path + "/hablare/programs.json")
        #expect(try file.templates(beside: []).isEmpty)
        #expect(ProgramsFile(environment: ["XDG_CONFIG_HOME": "relative"]) == nil)
    }
}
