#if os(macOS) || os(Linux)
import Foundation
import Hablare
import HablareProviders
import HablareSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CommandStreamTests {
    /// The pieces that a provider yielded.
    private final class Taken: Sendable {
        private let pieces = Locked<[Data]>([])

        var all: [Data] { pieces.withLock { $0 } }
        var bytes: Data { Data(all.joined()) }
        var text: String { String(decoding: bytes, as: UTF8.self) }

        /// Records a piece. Throws after many pieces, in case the program is never ended.
        func take(_ piece: Data) throws {
            let count = pieces.withLock { pieces in
                pieces.append(piece)
                return pieces.count
            }
            if count > 1000 { throw AIServiceError(.storageFull, "A thousand pieces are enough.") }
        }
    }

    /// Runs a script once for a streaming request.
    private func stream(
        _ program: TestProgram, content: CommandContent = .text, output: CommandOutput = .standardOutput,
        maximumOutputBytes: Int = 1 << 24, take: @escaping @Sendable (Data) async throws -> Void
    ) async throws -> Result<ProviderAnswer, AIServiceError> {
        var arguments: [CommandArgument] = [.piece(program.directory.path)]
        if case .file = output { arguments.append("{output}") }
        let template = program.template(
            arguments, output: output, content: content, maximumOutputBytes: maximumOutputBytes)
        let request = AIRequest(prompt: "hello", streaming: StreamingPolicy())
        return try await CommandProvider(template).generate(ProviderCall(request: request, chunks: take))
    }

    @Test func `What a program writes is handed over while it runs`() async throws {
        // The second word is written only after the first was seen, so a provider that waits for the whole answer would
        // hang.
        let program = try TestProgram("cat; while [ ! -e $1/seen ]; do sleep 0.01; done; printf ' world'")
        let taken = Taken()
        let answer = try await stream(program) { piece in
            try taken.take(piece)
            if taken.text == "hello" { try Data().write(to: program.url("seen")) }
        }.get()
        #expect(taken.text == "hello world")
        #expect(answer.content == ProviderAnswer(streamed: .text).content)
        #expect(answer.usage == Usage(characters: 5, bytes: 11, costMicroDollars: 0))
        #expect(answer.metadata == ["program": "sh"])
    }

    @Test func `What a program writes last is not lost, however long it takes to put away`() async throws {
        let program = try TestProgram("head -c 300000 /dev/zero; printf end")
        let taken = Taken()
        _ = try await stream(program, content: .data) { piece in
            try await Task.sleep(for: .milliseconds(30))
            try taken.take(piece)
        }.get()
        #expect(taken.bytes.count == 300_003)
        #expect(taken.bytes.suffix(3) == Data("end".utf8))
    }

    @Test func `A program that writes faster than its answer is put away waits`() async throws {
        let program = try TestProgram(
            "for i in 1 2 3 4 5 6 7 8 9; do head -c 65536 /dev/zero; echo $i > $1/written; done")
        let taken = Taken()
        _ = try await stream(program, content: .data) { piece in
            if taken.all.isEmpty {
                // No piece is accepted for a while: the program must not get beyond what a pipe holds.
                try await Task.sleep(for: .milliseconds(300))
                #expect((program.text("written").flatMap { Int($0.dropLast()) } ?? 0) < 5)
            }
            try taken.take(piece)
        }.get()
        #expect(taken.bytes.count == 9 * 65_536)
        #expect(taken.all.allSatisfy { $0.count <= 65_536 })
    }

    @Test func `What came before a failure stays, and the failure says what the program said`() async throws {
        let taken = Taken()
        let result = try await stream(try TestProgram("cat; echo 'out of ideas' >&2; exit 3"), take: taken.take)
        #expect(taken.text == "hello")
        #expect(result.error?.code == .providerFailed)
        #expect(result.error?.cause == "out of ideas")
        let killed = try await stream(try TestProgram("printf more; kill -9 $$"), take: taken.take)
        #expect(taken.text == "hellomore")
        #expect(killed.error?.isRetryable == true)
    }

    @Test func `An answer that is refused ends the program, and the refusal is the error`() async throws {
        let program = try TestProgram("echo $$ > $1/pid; yes")
        let refusal = AIServiceError(.storageFull, "There is no room.")
        let result = try await stream(program) { _ in throw refusal }
        #expect(result.error == refusal)
        #expect(!isRunning(try await program.pid("pid")))
    }

    @Test func `A program whose stream is cancelled is gone, also one that waits to write`() async throws {
        for script in ["cat; echo $$ > $1/pid; exec sleep 1000", "echo $$ > $1/pid; exec yes"] {
            let program = try TestProgram(script)
            let result = try await withThrowingTaskGroup(of: Result<ProviderAnswer, AIServiceError>.self) { group in
                group.addTask {
                    try await stream(program, maximumOutputBytes: .max) { _ in try await Task.sleep(for: .seconds(1000))
                    }
                }
                _ = try await program.pid("pid")
                group.cancelAll()
                guard let result = try await group.next() else { throw DidNotHappen() }
                return result
            }
            #expect(result.error?.code == .cancelled)
            #expect(!isRunning(try await program.pid("pid")))
        }
    }

    @Test func `A cancelled program may say something while it tidies up`() async throws {
        // Without a reader of the pipe, the shell would die of its own output.
        let program = try TestProgram(
            "trap 'echo bye; sleep 0.05; echo bye; echo > $1/tidy; exit' TERM; echo $$ > $1/pid; while :; do sleep 0.01; done"
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await stream(program) { _ in } }
            _ = try await program.pid("pid")
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(program.text("tidy") == "\n")
    }

    @Test func `Output beyond the limit ends the program, up to the limit it is handed over`() async throws {
        let endless = try TestProgram("echo $$ > $1/pid; yes")
        let taken = Taken()
        let result = try await stream(endless, maximumOutputBytes: 100_000, take: taken.take)
        #expect(result.error?.code == .responseTooLarge)
        #expect(taken.bytes.count <= 100_000)
        #expect(!isRunning(try await endless.pid("pid")))
        let exact = try TestProgram("printf 12345")
        #expect(try await stream(exact, maximumOutputBytes: 5, take: taken.take).error == nil)
        #expect(try await stream(exact, maximumOutputBytes: 4, take: taken.take).error?.code == .responseTooLarge)
        let words = try await stream(try TestProgram("while :; do echo yes; done >&2"), take: taken.take)
        #expect(words.error?.code == .responseTooLarge)
    }

    @Test func `Of an answer that is not of its format nothing is handed over`() async throws {
        let taken = Taken()
        for (script, content) in [
            ("echo 'There is no sound device on this machine.'", CommandContent.audio(.wav)), ("true", .text),
            ("true", .data), ("printf RIFFxxxx", .audio(.wav)), ("echo x", .audio(.mp3)), ("echo hello", .image(.png)),
        ] {
            let result = try await stream(try TestProgram(script), content: content, take: taken.take)
            #expect(result.error?.code == .invalidResponse, "\(script)")
        }
        // The program's failure says more than its output's format.
        let failed = try await stream(try TestProgram("echo no; exit 3"), content: .audio(.wav), take: taken.take)
        #expect(failed.error?.code == .providerFailed)
        #expect(taken.all.isEmpty)
    }

    @Test func `Sound is handed over as it comes, whole, from its first byte`() async throws {
        // The header arrives in two pieces; the first one is too short to identify the format.
        let program = try TestProgram("printf RIFF; sleep 0.1; printf 'xxxxWAVEdata\\4\\0\\0\\0abcd'")
        let taken = Taken()
        let answer = try await stream(program, content: .audio(.wav), take: taken.take).get()
        #expect(taken.bytes == Data("RIFFxxxxWAVEdata\u{4}\0\0\0abcd".utf8))
        #expect(answer.content.type == .audio)
        let silent = try await stream(
            try TestProgram("printf 'RIFFxxxxWAVE'"), content: .audio(.wav), take: Taken().take)
        #expect(silent.error?.code == .invalidResponse)
    }

    @Test func `An answer in a file comes whole at the end`() async throws {
        let program = try TestProgram("cat > \"$2\"")
        let taken = Taken()
        let result = try await stream(program, output: .file(extension: "txt"), take: taken.take)
        #expect(try result.text == "hello")
        #expect(taken.all.isEmpty)
    }

    @Test(
        "A process that continues to write does not delay the end",
        arguments: [
            // A daemon, and a child of the program: several, so that the pipe is never empty.
            "for i in 1 2 3 4; do setsid sh -c 'echo $$ > $0/pid$1; exec yes' $1 $i & done",
            "for i in 1 2 3 4; do sh -c 'echo $$ > $0/pid$1; exec yes' $1 $i & done",
        ])
    func endless(start: String) async throws {
        #if os(Linux)
        let program = try TestProgram("\(start); while [ ! -s $1/pid4 ]; do sleep 0.01; done; cat")
        let taken = Taken()
        let result = try await stream(program, maximumOutputBytes: .max) { piece in
            try taken.take(piece)
            try await Task.sleep(for: .milliseconds(20))
        }
        for name in ["pid1", "pid2", "pid3", "pid4"] { kill(try await program.pid(name), SIGKILL) }
        #expect(result.error == nil)
        #endif
    }

    @Test func `A daemon that holds on to the output does not hold up the end`() async throws {
        #if os(Linux)
        let program = try TestProgram(
            "setsid sh -c 'echo $$ > $0/pid; exec sleep 1000' $1 & while [ ! -s $1/pid ]; do sleep 0.01; done; cat")
        let taken = Taken()
        _ = try await stream(program, take: taken.take).get()
        #expect(taken.text == "hello")
        kill(try await program.pid("pid"), SIGKILL)
        #endif
    }
}
#endif
