#if os(macOS) || os(Linux)
import Foundation
import Hablare
import HablareProviders
import Testing

/// The programs run far longer than the time limit, so an answer that waits for one exceeds it.
@Suite(.timeLimit(.minutes(5))) struct CommandCancellationTests {
    /// Runs a program until it has written its process id to `pid`, then cancels it.
    private func cancelled(
        _ program: TestProgram, output: CommandOutput = .standardOutput
    ) async throws -> Result<ProviderAnswer, AIServiceError> {
        try await withThrowingTaskGroup(of: Result<ProviderAnswer, AIServiceError>.self) { group in
            group.addTask { try await program.run(output: output) }
            _ = try await program.pid("pid")
            group.cancelAll()
            guard let result = try await group.next() else { throw DidNotHappen() }
            return result
        }
    }

    @Test func aCancelledProgramIsGoneWhenTheAnswerComes() async throws {
        let program = try TestProgram("echo $$ > $1/pid; exec sleep 1000")
        let result = try await cancelled(program)
        #expect(result.error?.code == .cancelled)
        #expect(!isRunning(try await program.pid("pid")))
    }

    @Test func aProgramThatIgnoresTheRequestToEndIsKilled() async throws {
        let program = try TestProgram("trap '' TERM; echo $$ > $1/pid; while :; do sleep 0.05; done")
        let result = try await cancelled(program)
        #expect(result.error?.code == .cancelled)
        #expect(!isRunning(try await program.pid("pid")))
    }

    @Test func whatAProgramStartedEndsWithItEvenIfItIgnoresTheRequest() async throws {
        let program = try TestProgram(
            """
            (trap '' TERM HUP; sh -c 'echo $PPID > "$0/child"; exec sleep 1000' "$1") &
            sh -c 'trap "" TERM; echo $$ > "$0/grandchild"; while :; do sleep 0.05; done' "$1" &
            while [ ! -s $1/child ] || [ ! -s $1/grandchild ]; do sleep 0.01; done
            echo $$ > $1/pid
            exec sleep 1000
            """)
        _ = try await cancelled(program)
        for name in ["child", "grandchild"] {
            let pid = try await program.pid(name)
            try await eventually { !isRunning(pid) }
        }
    }

    @Test func whatAProgramStartedIsAskedToEndBeforeItIsKilled() async throws {
        let program = try TestProgram(
            """
            sh -c 'trap "echo asked > $0/asked; exit" TERM; echo > "$0/ready"; while :; do sleep 0.01; done' "$1" &
            trap 'sleep 0.1; exit' TERM
            while [ ! -s $1/ready ]; do sleep 0.01; done
            echo $$ > $1/pid
            while :; do sleep 0.01; done
            """)
        _ = try await cancelled(program)
        #expect(program.text("asked") == "asked\n")
    }

    @Test("Processes that a program leaves behind end with it", arguments: ["exit 0", "exit 1"])
    func leftBehind(end: String) async throws {
        let program = try TestProgram(
            """
            sh -c 'trap "" TERM HUP; echo $$ > "$0/pid"; exec sleep 1000' "$1" &
            while [ ! -s $1/pid ]; do sleep 0.01; done
            echo done; \(end)
            """)
        let result = try await program.run()
        if end == "exit 0" { #expect(try result.text == "done\n") }
        let pid = try await program.pid("pid")
        try await eventually { !isRunning(pid) }
    }

    @Test func aTaskCancelledBeforehandStartsNothing() async throws {
        let program = try TestProgram("touch $1/ran")
        let result = try await withThrowingTaskGroup(of: Result<ProviderAnswer, AIServiceError>.self) { group in
            group.cancelAll()
            group.addTask { try await program.run() }
            guard let result = try await group.next() else { throw DidNotHappen() }
            return result
        }
        #expect(result.error?.code == .cancelled)
        #expect(!FileManager.default.fileExists(atPath: program.url("ran").path))
    }

    @Test func theTemporaryFileOfACancelledProgramIsRemoved() async throws {
        let program = try TestProgram("echo \"$2\" > $1/path; echo x > \"$2\"; echo $$ > $1/pid; exec sleep 1000")
        let result = try await cancelled(program, output: .file(extension: "wav"))
        #expect(result.error?.code == .cancelled)
        let path = try #require(program.text("path")).trimmingCharacters(in: .newlines)
        #expect(!FileManager.default.fileExists(atPath: URL(filePath: path).deletingLastPathComponent().path))
    }

    @Test func aLongProgramIsNotEndedByAccident() async throws {
        // Many short programs run beside it, so that threads start and end.
        let program = try TestProgram("sleep 2; echo done")
        let short = try TestProgram("true")
        let supervisor = CommandSupervisor()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let text = try await program.run(supervisor: supervisor).text
                #expect(text == "done\n")
            }
            for _ in 0..<100 { group.addTask { _ = try await short.run(supervisor: supervisor) } }
            try await group.waitForAll()
        }
    }
}
#endif
