#if os(macOS) || os(Linux)
import Foundation
import Hablare
import HablareProviders
import Testing

@Suite(.timeLimit(.minutes(5))) struct CommandFailureTests {
    @Test func aFailureSaysWhatTheProgramSaidWithoutThePrompt() async throws {
        let program = try TestProgram("echo 'cannot say:' >&2; cat >&2; exit 3")
        let error = try #require(try await program.run("a quick brown fox jumps over").error)
        #expect(error.code == .providerFailed)
        #expect(error.message.contains("status 3"))
        #expect(error.cause == "cannot say:\n[prompt]" || error.cause == "cannot say:[prompt]")
    }

    @Test func endlessWordsOnStandardErrorAreCutAndHarmless() async throws {
        let program = try TestProgram("yes 'some words of mine' | head -c 5000000 >&2; echo last >&2; exit 1")
        let cause = try #require(try await program.run().error?.cause)
        #expect(cause.utf8.count <= 2048)
        #expect(cause.hasSuffix("last"))
    }

    @Test func aProgramThatASignalEndsFails() async throws {
        #expect(try await TestProgram("kill -SEGV $$").run().error?.message.contains("SIGSEGV") == true)
        #expect(try await TestProgram("kill -KILL $$").run().error?.isRetryable == true)
    }

    @Test(
        "Output of another kind than promised is refused",
        arguments: [
            ("true", CommandContent.text), ("printf '\\377'", .text), ("echo hello", .audio(.wav)),
            ("printf 'RIFFxxxxWAVE'", .audio(.wav)), ("true", .data),
            ("echo x", .audio(.mp3)), ("echo x", .audio(.flac)),
        ])
    func wrongOutput(script: String, content: CommandContent) async throws {
        #expect(try await TestProgram(script).run(content: content).error?.code == .invalidResponse)
    }

    /// Writes megabytes per second. `yes` writes gigabytes. It fills the machine's memory if a thousand other tests
    /// delay the size check for seconds.
    private static let withoutEnd = "while :; do echo yes; done"

    @Test("Endless output is ended", arguments: [CommandOutput.standardOutput, .file(extension: "txt")])
    func endless(output: CommandOutput) async throws {
        let script = "echo $$ > $1/pid; \(Self.withoutEnd)" + (output == .standardOutput ? "" : " > \"$2\"")
        let program = try TestProgram(script)
        let result = try await program.run(output: output, maximumOutputBytes: 100_000)
        #expect(result.error?.code == .responseTooLarge)
        #expect(!isRunning(try await program.pid("pid")))
    }

    @Test func wordsWithoutEndAreEnded() async throws {
        let program = try TestProgram("echo $$ > $1/pid; \(Self.withoutEnd) >&2")
        #expect(try await program.run().error?.code == .responseTooLarge)
        #expect(!isRunning(try await program.pid("pid")))
    }

    @Test func outputOfExactlyTheLimitIsAccepted() async throws {
        #expect(try await TestProgram("printf 12345").run(maximumOutputBytes: 5).text == "12345")
        #expect(try await TestProgram("printf 123456").run(maximumOutputBytes: 5).error?.code == .responseTooLarge)
    }

    @Test func aMissingProgramIsSaidWithTheWayToInstallIt() async throws {
        let template = CommandTemplate(
            id: "x", executable: "hablare-no-such-program", content: .text, installation: "apt-get install nothing")
        let provider = try CommandProvider(template)
        let error = try #require(await provider.call("").error)
        #expect(error.code == .programMissing)
        #expect(error.message.contains("apt-get install nothing"))
        let diagnosis = await provider.diagnose()
        #expect(diagnosis.executable == nil)
        #expect(diagnosis.advice == [error.message])
    }

    @Test func aFileThatCannotBeExecutedIsSaid() async throws {
        let program = try TestProgram("")
        let path = program.url("script").path
        try "echo hello".write(toFile: path, atomically: true, encoding: .utf8)
        let provider = try CommandProvider(CommandTemplate(id: "x", executable: path, content: .text))
        #expect(await provider.call("").error?.code == .programMissing)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        // Executable, but neither a binary nor a script with an interpreter: only a shell would run it.
        let error = await provider.call("").error
        #expect(error?.code == .programMissing || error == nil)
        let directory = program.directory.path
        let other = try CommandProvider(CommandTemplate(id: "x", executable: directory, content: .text))
        #expect(await other.call("").error?.code == .programMissing)
    }

    @Test func aProgramThatIsInstalledLaterIsFoundThen() async throws {
        let program = try TestProgram("")
        let provider = try CommandProvider(
            CommandTemplate(id: "x", executable: "later", content: .text),
            searchPath: "relative:\(program.directory.path)")
        #expect(await provider.call("").error?.code == .programMissing)
        try FileManager.default.createSymbolicLink(
            at: program.url("later"), withDestinationURL: URL(filePath: "/bin/cat"))
        #expect(try await provider.call("hello").text == "hello")
    }

    @Test func descriptorsDoNotLeakIntoThePrograms() async throws {
        let open = FileHandle(forReadingAtPath: "/dev/null")
        let program = try TestProgram("ls /proc/self/fd 2>/dev/null || ls /dev/fd")
        let text = try #require(try await program.run().text)
        // 0, 1, 2, and the directory being listed.
        #expect(text.split(separator: "\n") == ["0", "1", "2", "3"])
        try open?.close()
    }
}
#endif
