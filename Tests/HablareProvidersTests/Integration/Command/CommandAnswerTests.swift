#if os(macOS) || os(Linux)
import Foundation
import Hablare
import HablareProviders
import Testing

@Suite(.timeLimit(.minutes(5))) struct CommandAnswerTests {
    @Test func thePromptIsOnStandardInputAndTheAnswerOnStandardOutput() async throws {
        let answer = try await TestProgram("tr a-z A-Z").run("hello, wörld\0!").get()
        #expect(answer.content == .text("HELLO, WöRLD\0!"))
        #expect(answer.usage == Usage(characters: 14, bytes: 15, costMicroDollars: 0))
        #expect(answer.metadata == ["program": "sh"])
    }

    @Test func whatIsChargedForLeavesItsCostToThePrices() async throws {
        var template = try TestProgram("cat").template()
        template.isCharged = true
        let provider = try CommandProvider(template)
        #expect(try await provider.call("four").get().usage == Usage(characters: 4, bytes: 4))
        let most = provider.maximumUsage(of: AIRequest(prompt: "four"))
        #expect(most == Usage(characters: 4, bytes: Int64(template.maximumOutputBytes)))
        // The instance does not depend on it.
        template.isCharged = false
        #expect(try CommandProvider(template).instance == provider.instance)
    }

    @Test func thePromptIsNeitherInTheArgumentsNorInTheEnvironment() async throws {
        let program = try TestProgram("tr '\\0' ' ' < /proc/$$/cmdline; env; cat > /dev/null; echo done")
        let text = try #require(try await program.run("xyzzy-plugh-secret").text)
        #expect(text.hasSuffix("done\n"))
        #expect(!text.contains("xyzzy"))
    }

    @Test func argumentsArriveAsTheyAre() async throws {
        let program = try TestProgram("for argument; do printf '[%s]' \"$argument\"; done")
        let nasty = "a b; exit 3 #$(touch x)`id`\"'*\n"
        let provider = try CommandProvider(
            program.template(
                ["--voice", "{voice}", .optional(["-s", "{rate}"])],
                placeholders: [
                    CommandPlaceholder("voice", default: "d"), CommandPlaceholder("rate", accepts: .integer(1...9)),
                ]))
        #expect(try await provider.call("", ["voice": .string(nasty)]).text == "[--voice][\(nasty)]")
        #expect(try await provider.call("", ["rate": 5]).text == "[--voice][d][-s][5]")
        #expect(try await provider.call("", ["voice": "x"]).get().metadata["voice"] == "x")
    }

    @Test func aFileIsReadAndItsDirectoryRemoved() async throws {
        let program = try TestProgram(
            """
            cat > "$2"; touch "$2.side"
            echo "$2" > "$1/path"; ls -ld "${2%/*}" > "$1/mode"
            """)
        let text = try await program.run("hello", output: .file(extension: "txt")).text
        #expect(text == "hello")
        let path = try #require(program.text("path")).trimmingCharacters(in: .newlines)
        #expect(path.hasSuffix("/output.txt"))
        #expect(!FileManager.default.fileExists(atPath: URL(filePath: path).deletingLastPathComponent().path))
        #expect(program.text("mode")?.hasPrefix("drwx------") == true)
    }

    @Test("The directory is also removed after a failure", arguments: ["exit 1", "kill -9 $$", "true"])
    func removedAfterFailure(end: String) async throws {
        let program = try TestProgram("echo \"$2\" > \"$1/path\"; mkdir \"$2\"; \(end)")
        #expect(try await program.run(output: .file(extension: "txt")).error != nil)
        let path = try #require(program.text("path")).trimmingCharacters(in: .newlines)
        #expect(!FileManager.default.fileExists(atPath: URL(filePath: path).deletingLastPathComponent().path))
    }

    @Test(
        "An output file that is a link, a pipe or a directory is refused",
        arguments: [
            "ln -s /etc/passwd \"$2\"", "mkfifo \"$2\"", "mkdir \"$2\"", "true",
        ])
    func notAFile(script: String) async throws {
        let result = try await TestProgram(script).run(output: .file(extension: "txt"))
        #expect(result.error?.code == .invalidResponse)
        let says = script == "true" ? "there is no output file" : "its output is not a regular file"
        #expect(result.error?.message.contains(says) == true)
    }

    @Test func aProgramThatReopensItsStandardFilesWorks() async throws {
        let program = try TestProgram("cat /dev/stdin > /dev/stdout")
        #expect(try await program.run("hello").text == "hello")
    }

    @Test(
        "A program need not read its input",
        arguments: [
            "echo ok", "exec 0<&-; echo ok", "head -c 1 >/dev/null; echo ok",
        ])
    func doesNotRead(script: String) async throws {
        let megabytes = String(repeating: "0123456789abcdef", count: 1 << 18)
        #expect(try await TestProgram(script).run(megabytes).text == "ok\n")
    }

    @Test func aLargePromptArrivesWhole() async throws {
        let megabytes = String(repeating: "0123456789abcde\n", count: 1 << 18)
        #expect(try await TestProgram("wc -c").run(megabytes).text?.contains("\(1 << 22)") == true)
    }

    @Test func aModelOrAPictureIsRefused() async throws {
        let provider = try CommandProvider(TestProgram("cat").template())
        let model = AIRequest(prompt: "x", model: "m")
        #expect(await provider.generate(ProviderCall(request: model)).error?.code == .invalidRequest)
        let picture = AIRequest(
            prompt: .messages([.init(role: .user, parts: [.text("x"), .image(Body(Data([1])), .png)])]))
        #expect(await provider.generate(ProviderCall(request: picture)).error?.code == .invalidRequest)
        let talk = AIRequest(prompt: .messages([.init(role: .user, text: "a"), .init(role: .user, text: "b")]))
        #expect(try await provider.generate(ProviderCall(request: talk)).text == "a\n\nb")
    }
}
#endif
